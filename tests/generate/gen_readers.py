"""Writes tests/tables/readers.h: tables as Python's csv module writes them, with what it reads of them and what NumPy makes of
their holes, and arrays as numpy.save and numpy.savez do; test_readers.c compares the readers with them.
    python3 tests/generate/gen_readers.py"""
import csv
import io
import os
import random
import numpy as np

WORDS = ["red", "dark blue", "a,b", 'say "hi"', "two\nlines", "\u00e9t\u00e9", "7", "x;y", " padded ", '"', "tab\there", "\r\ndos"]
HOLES = ["", "NA", "?", "null", "NaN"]


def escaped(data):
    """Bytes as C strings of at most 100 columns a line."""
    lines, text = [], ""
    for b in data:
        text += "\\%03o" % b if b < 32 or b > 126 or b in b'"\\?' else chr(b)
        if len(text) > 100:
            lines.append('"%s"' % text)
            text = ""
    return "\n        ".join(lines + ['"%s"' % text])


def numbers(values, form="%.9g"):
    lines, text = [], ""
    for v in values:
        v = form % v
        text += (v if "." in v or "e" in v or form == "%d" else v + ".") + ("f, " if form != "%d" else ", ")
        if len(text) > 90:
            lines.append(text.rstrip())
            text = ""
    return "\n        ".join(lines + [text.rstrip()]).rstrip().rstrip(",")


def table(seed):
    """Columns: a number with holes, a string, a number, a label that is a string."""
    r = random.Random(seed)
    separator, how = [",", ";", "\t", "|"][seed % 4], ["mean", "median", "constant"][seed % 3]
    quoting = [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC][seed % 3]
    out = io.StringIO()
    w = csv.writer(out, delimiter=separator, quoting=quoting, lineterminator=["\n", "\r\n"][seed % 2])
    w.writerow(["size", "colour, or so", "n\nper day", "kind"])
    for _ in range(9 + seed):
        hole = r.random() < 0.3
        first = r.choice(HOLES) if hole else repr(r.choice([r.uniform(-1e6, 1e6), r.uniform(-1, 1) * 1e-20, float(r.randint(0, 9))]))
        w.writerow([first, r.choice(WORDS), r.randint(-5, 5), r.choice(["cat", "dog", "a \"bird\""])])
    text = out.getvalue()
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))[1:]
    x = np.array([[np.nan if row[k] in HOLES else np.float32(row[k]) for k in (0, 2)] for row in rows], np.float64)
    fill = {"mean": np.nanmean(x, 0), "median": np.nanmedian(x, 0), "constant": np.array([-1.5, -1.5])}[how]
    x = np.where(np.isnan(x), fill, x).astype(np.float32)
    ids, names = [], []
    for k in (1, 3):
        # blanks around a field that is not quoted are left out, as everywhere in the reader
        texts = [row[k] if quoting != csv.QUOTE_MINIMAL or any(c in row[k] for c in separator + '"\r\n') else row[k].strip(" \t") for row in rows]
        names.append(list(dict.fromkeys(texts)) if k == 1 else sorted(set(texts), key=str.encode))  # labels by their bytes
        ids += [names[-1].index(t) for t in texts]
    return """    { %s,
        '%s', GTR_MISSING_%s, %d,
        { %s },
        { %s },
        { %s },
        { %s } },""" % (escaped(text.encode()), separator.replace("\t", "\\t"), how.upper(), len(rows), numbers(x.flatten()),
                        numbers(ids, "%d"), ",\n        ".join(escaped(n.encode()) for n in names[0]), ", ".join(escaped(n.encode()) for n in names[1]))


def array(seed):
    """A small array of each dtype that is read, in C's and Fortran's order, some with the highest byte first; its bytes and its values."""
    dtype = (["<f4", "<f8", "<f2", "|u1", "|i1", "<i2", "<i4", "<i8", "|b1"] + [">f4", ">f8", ">f2", ">i2", ">i4", ">i8"] * 2)[seed % 9 if seed < 27 else seed - 18]
    shape = [(3,), (2, 3), (3, 2, 2), (2, 2, 1, 3)][seed % 4]
    r = np.random.default_rng(seed)
    a = r.integers(-9 if dtype[1] in "if" else 0, 9, shape).astype(dtype)
    if dtype[1] == "f":
        a = (a / 8 + a * a * a).astype(dtype)
    if seed % 3 == 1:
        a = np.asfortranarray(a)
    out = io.BytesIO()
    np.lib.format.write_array(out, a, version=[(1, 0), (2, 0), (3, 0)][seed // 9 % 3])
    return """    { %s,
        %d, '%s', %d, { %s }, %d,
        { %s } },""" % (escaped(out.getvalue()), len(out.getvalue()), dtype[1], a.ndim, ", ".join(map(str, a.shape)), a.size,
                         numbers(a.astype(np.float64).flatten()))


def archive(compressed):
    out = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(out, image=np.arange(12, dtype=np.uint8).reshape(3, 2, 2),
                                                      label=np.array([2, 0, 1]), weight=np.array([0.5, 1.5, 2.5]))
    return "static const char %s[] =\n        %s;" % ("squeezed" if compressed else "stored", escaped(out.getvalue()))


def main():
    lines = ["/* Made by gen_readers.py: tables of Python's csv, and NumPy's arrays. */",
             "/* x: rows (2); id: each row's, of the strings, then of the labels. */",
             "static const struct { const char *text; char separator; gtr_missing missing; int rows; float x[48]; int id[48];",
             "    const char *word[13], *kind[4]; } tables[] = {"]
    lines += [table(seed) for seed in range(12)]
    lines[-1] = lines[-1].rstrip(",")
    lines += ["};", "static const struct { const char *bytes; int size; char kind; int ndim, shape[4], count; float want[24]; }",
              "    arrays[] = {"]
    lines += [array(seed) for seed in range(39)]
    lines[-1] = lines[-1].rstrip(",")
    lines += ["};", archive(False), archive(True)]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tables/readers.h"), "w") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
