# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the swift-request-authorization authors
"""keyring.py: a Secret Service that asks a person before it stores or deletes an item (Debian: python3-gi).

It answers as KeePassXC does, but shows no window. It serves the session bus until it is ended. Its one keyring is in
memory and unlocked. An item that the person does not let a program replace is locked, until the person allows its use.

These files in $XDG_RUNTIME_DIR count as long as they exist:

    refuse   the person refuses
    once     the person allows one save only: then the item is locked
    closed   nothing is found until the next prompt, which removes the file
    past     changes are dated ten seconds back
    silent   a pipe, which is opened for each prompt; the person does not answer it, and it cannot be closed

It has what SecretServiceTokenStore needs: sessions are not encrypted, and no signal tells of a change.
"""

import os
import time

from gi.repository import Gio, GLib

PREFIX = "org.freedesktop.Secret."
ROOT = "/org/freedesktop/secrets"
KEYRING = ROOT + "/collection/one"
FACE = {"Label": "s", "Locked": "b", "Created": "t", "Modified": "t"}
# Of each interface: the types of a method's arguments and results, and the types of the properties.
INTERFACES = {
    "Service": (
        {
            "OpenSession": ("sv", "vo"),
            "ReadAlias": ("s", "o"),
            "SearchItems": ("a{ss}", "aoao"),
            "Unlock": ("ao", "aoo"),
        },
        {"Collections": "ao"},
    ),
    "Collection": ({"CreateItem": ("a{sv}(oayays)b", "oo")}, FACE | {"Items": "ao"}),
    "Item": ({"Delete": ("", "o"), "GetSecret": ("o", "(oayays)")}, FACE | {"Attributes": "a{ss}"}),
    "Prompt": ({"Prompt": ("s", ""), "Dismiss": ("", "")}, {}),
}

bus = Gio.bus_get_sync(Gio.BusType.SESSION)
items = {}  # by path


def file(name):
    return os.path.join(os.environ["XDG_RUNTIME_DIR"], name)


def now():
    return int(time.time()) - (10 if os.path.exists(file("past")) else 0)


class Refusal(Exception):
    """An answer that is an error; its text is the name."""


class Served:
    """An object of the bus. The methods and properties of its interface are those of the class."""

    made = 0

    def __init__(self, *paths):
        self.path, self.interface = paths[0], PREFIX + type(self).__name__
        self.methods, self.types = INTERFACES[type(self).__name__]
        self.Locked, self.Created, self.Modified = False, now(), now()
        declared = Gio.DBusNodeInfo.new_for_xml(self.declaration()).interfaces[0]
        self.registrations = [bus.register_object(path, declared, self.call, self.get, None) for path in paths]

    @staticmethod
    def new_path(folder):
        Served.made += 1
        return f"{folder}/{Served.made}"

    def declaration(self):
        def arguments(types, direction):
            kinds = GLib.Variant.split_signature(f"({types})")
            return "".join(f'<arg type="{kind}" direction="{direction}"/>' for kind in kinds)

        parts = [
            f'<method name="{name}">{arguments(takes, "in")}{arguments(gives, "out")}</method>'
            for name, (takes, gives) in self.methods.items()
        ]
        parts += [f'<property name="{name}" type="{kind}" access="read"/>' for name, kind in self.types.items()]
        return f'<node><interface name="{self.interface}">{"".join(parts)}</interface></node>'

    def call(self, connection, sender, path, interface, method, arguments, invocation):
        try:
            results = getattr(self, method)(*arguments.unpack())
        except Refusal as error:
            return invocation.return_dbus_error(str(error), "refused")
        invocation.return_value(GLib.Variant(f"({self.methods[method][1]})", results or ()))

    def get(self, connection, sender, path, interface, name):
        return GLib.Variant(self.types[name], getattr(self, name))

    def withdraw(self):
        for registration in self.registrations:
            bus.unregister_object(registration)


class Service(Served):
    Collections = [KEYRING]

    def OpenSession(self, algorithm, _):
        if algorithm != "plain":
            raise Refusal("org.freedesktop.DBus.Error.NotSupported")
        return GLib.Variant("s", ""), self.new_path(ROOT + "/session")

    def SearchItems(self, attributes):
        if os.path.exists(file("closed")):
            return [], []
        found = [item for item in items.values() if attributes.items() <= item.Attributes.items()]
        return [item.path for item in found if not item.Locked], [item.path for item in found if item.Locked]

    def Unlock(self, paths):
        locked = [path for path in paths if path in items and items[path].Locked]

        def unlock(is_allowed):
            for path in locked:
                items[path].Locked = not is_allowed
            return GLib.Variant("ao", locked if is_allowed else [])

        return [path for path in paths if path not in locked], Prompt.path_for(unlock) if locked else "/"

    def ReadAlias(self, name):
        return (KEYRING if name == "default" else "/",)


class Collection(Served):
    Label = "One"

    @property
    def Items(self):
        return list(items)

    def CreateItem(self, properties, secret, replaces):
        attributes = properties[PREFIX + "Item.Attributes"]

        def create(is_allowed):
            kept = [item for item in items.values() if replaces and item.Attributes == attributes]
            if not is_allowed:
                for item in kept:
                    item.Locked = True
                return GLib.Variant("o", kept[0].path if kept else "/")
            item = kept[0] if kept else Item(self.new_path(KEYRING))
            item.Label, item.Attributes, item.secret = properties[PREFIX + "Item.Label"], attributes, secret
            item.Locked, item.Modified = os.path.exists(file("once")), now()
            items[item.path] = item
            return GLib.Variant("o", item.path)

        return "/", Prompt.path_for(create)


class Item(Served):
    def Delete(self):
        def delete(is_allowed):
            if is_allowed and items.pop(self.path, None):
                self.withdraw()
            return GLib.Variant("s", "")

        return (Prompt.path_for(delete),)

    def GetSecret(self, session):
        if self.Locked:
            raise Refusal(PREFIX + "Error.IsLocked")
        return ((session, *self.secret[1:]),)


class Prompt(Served):
    @staticmethod
    def path_for(answered):
        prompt = Prompt(Served.new_path(ROOT + "/prompt"))
        prompt.answered = answered
        return prompt.path

    def Prompt(self, window):
        if os.path.exists(file("closed")):
            os.remove(file("closed"))
        if os.path.exists(file("silent")):
            return open(file("silent"), "wb").close()  # when the test has opened it, too
        self.complete(not os.path.exists(file("refuse")))

    def Dismiss(self):
        if not os.path.exists(file("silent")):
            self.complete(False)

    def complete(self, is_allowed):
        outcome = GLib.Variant("(bv)", (not is_allowed, self.answered(is_allowed)))
        self.withdraw()

        def tell():
            bus.emit_signal(None, self.path, self.interface, "Completed", outcome)

        GLib.idle_add(tell)  # after the answer to the call


service = Service(ROOT)
keyring = Collection(KEYRING, ROOT + "/aliases/default")
Gio.bus_own_name_on_connection(bus, "org.freedesktop.secrets", Gio.BusNameOwnerFlags.NONE, None, None)
GLib.MainLoop().run()
