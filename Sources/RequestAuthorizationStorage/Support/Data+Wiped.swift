// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Data {
    /// Takes ownership of memory, which is overwritten with zeros when the last reference to the bytes is released.
    ///
    /// `resetBytes(in:)` is not enough: if another thread still references the bytes, it wipes a copy. That thread then
    /// frees the key without wiping it.
    ///
    /// - Parameter memory: allocated memory that the caller does not use any more.
    init(wiping memory: UnsafeMutableRawBufferPointer, count: Int) {
        guard let bytes = memory.baseAddress, count > 0 else {
            Self.wipe(memory)
            self.init()
            return
        }
        self.init(bytesNoCopy: bytes, count: count, deallocator: .custom { _, _ in Self.wipe(memory) })
    }

    /// Copies bytes into memory that is overwritten with zeros on release.
    init(wipedCopyOf bytes: UnsafeRawBufferPointer) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        memory.copyMemory(from: bytes)
        self.init(wiping: memory, count: bytes.count)
    }

    /// Overwrites and frees memory. The runtime function that frees it keeps the optimizer from removing the zeros.
    static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        memory.deallocate()
    }
}
