// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Data {
    /// Takes over memory that is overwritten with zeros when the last one who has the bytes lets go of them.
    ///
    /// `resetBytes(in:)` wipes a copy if somebody else has the bytes still, and a thread that has just done its work may: then what
    /// that thread frees is the key.
    ///
    /// - Parameter memory: allocated, and not used by anybody else from now on.
    init(wiping memory: UnsafeMutableRawBufferPointer, count: Int) {
        guard let bytes = memory.baseAddress, count > 0 else {
            Self.wipe(memory)
            self.init()
            return
        }
        self.init(bytesNoCopy: bytes, count: count, deallocator: .custom { _, _ in Self.wipe(memory) })
    }

    /// Copies bytes into such memory.
    init(wipedCopyOf bytes: UnsafeRawBufferPointer) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        memory.copyMemory(from: bytes)
        self.init(wiping: memory, count: bytes.count)
    }

    /// Overwrites and frees memory. The call that frees it is the runtime's, so that no optimizer leaves the zeros out.
    static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        memory.deallocate()
    }
}
