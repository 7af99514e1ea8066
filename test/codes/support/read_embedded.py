"""Reads paths of files, one a line. Prints a line of JSON for each: names and lists of values that Python readers find."""

import json
import sys
import zipfile
from html.parser import HTMLParser
from xml.etree import ElementTree

path = ""
found = {}


def add(name, value):
    values = value if isinstance(value, (list, tuple)) else [value]
    found.setdefault(name, []).extend(str(one) for one in values if one is not None)


def audio():
    import mutagen

    file = mutagen.File(path)
    for name, value in (file.tags or {}).items():
        if hasattr(value, "text"):
            add(name, value.text)
        elif hasattr(value, "url"):
            add(name, value.url)
        elif isinstance(value, (list, tuple)):
            add(name, [one.decode() if isinstance(one, bytes) else one for one in value])
        else:
            add(name, value)


def pdf():
    import pikepdf

    with pikepdf.open(path) as document:
        for name, value in document.docinfo.items():
            add(str(name), str(value))
        with document.open_metadata() as metadata:
            for name, value in metadata.items():
                values = sorted(value) if isinstance(value, set) else value
                add(name, values)


def custom_xml(member, tag):
    with zipfile.ZipFile(path) as archive:
        if member not in archive.namelist():
            return
        for element in ElementTree.fromstring(archive.read(member)).iter():
            if element.tag.endswith(tag):
                add("custom:" + element.get("name", ""), "".join(element.itertext()))


def docx():
    import docx as reader

    core(reader.Document(path).core_properties)
    custom_xml("docProps/custom.xml", "}property")


def pptx():
    from pptx import Presentation

    core(Presentation(path).core_properties)
    custom_xml("docProps/custom.xml", "}property")


def core(properties):
    for name in ("title", "comments", "author", "identifier", "keywords"):
        add(name, getattr(properties, name))


def xlsx():
    import openpyxl

    book = openpyxl.load_workbook(path)
    for name in ("title", "description", "creator", "identifier", "keywords"):
        add(name, getattr(book.properties, name))
    for property in book.custom_doc_props.props:
        add("custom:" + property.name, property.value)


def opendocument():
    from odf.opendocument import load

    for element in load(path).meta.childNodes:
        if element.nodeType != element.ELEMENT_NODE:
            continue
        name = element.qname[1]
        if name == "user-defined":
            name = "custom:" + element.getAttribute("name")
        add(name, "".join(str(node) for node in element.childNodes))


def epub():
    with zipfile.ZipFile(path) as archive:
        package = next(name for name in archive.namelist() if name.endswith(".opf"))
        for element in ElementTree.fromstring(archive.read(package)).iter():
            name = element.tag.rsplit("}", 1)[-1]
            if name == "meta" and element.get("name"):
                add("meta:" + element.get("name"), element.get("content"))
            elif "purl.org/dc" in element.tag:
                add(name, element.text)


def fodt():
    flat(ElementTree.parse(path).getroot())


def flat(root):
    for element in root.iter():
        name = element.tag.rsplit("}", 1)[-1]
        if "opendocument:xmlns:meta" in element.tag or "purl.org/dc" in element.tag:
            own = [value for key, value in element.attrib.items() if key.endswith("}name")]
            add("custom:" + own[0] if own else name, element.text)


class Head(HTMLParser):
    title = None

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "meta" and "name" in values:
            add("meta:" + values["name"], values.get("content"))
        if tag == "title":
            self.title = ""

    def handle_data(self, data):
        if self.title is not None:
            self.title += data

    def handle_endtag(self, tag):
        if tag == "title" and self.title is not None:
            add("title", self.title)
            self.title = None


def html():
    head = Head()
    with open(path, encoding="utf-8", errors="replace") as file:
        head.feed(file.read())


readers = {
    "pdf": pdf,
    "docx": docx,
    "pptx": pptx,
    "xlsx": xlsx,
    "odt": opendocument,
    "ods": opendocument,
    "odp": opendocument,
    "fodt": fodt,
    "epub": epub,
    "html": html,
}
sys.stdin.reconfigure(encoding="utf-8")
sys.stdout.reconfigure(encoding="utf-8")
for line in sys.stdin:
    path = line.rstrip("\n")
    found = {}
    readers.get(path.rsplit(".", 1)[-1], audio)()
    print(json.dumps(found, ensure_ascii=False), flush=True)
