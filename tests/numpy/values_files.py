"""What reads and writes files and texts: Csv, Image, Raw, MatrixMarket, Fasta, Convert, DateTime; and Random's distributions."""
import csv
import datetime
import io
import math

import numpy as np
from PIL import Image
from scipy import io as scio
from scipy import sparse, stats

from rows import Rows


def make():
    rows = Rows("files")
    tables(rows)
    pictures(rows)
    raws(rows)
    markets(rows)
    sequences(rows)
    conversions(rows)
    dates(rows)
    randoms(rows)
    rows.save()


def one_line(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def tables(rows):
    fields = [
        ["name", "a, b", 'q"q', "number", "count"],
        ["Ann", "x\ny", '"', "1.5", "3"],
        ["", "  two  ", ",,", "-2.5e-3", "-7"],
        ["Bob", "\u00e4\u20ac", '""', "", "2147483647"],
        ["Cy", "", "end", "123456789.125", "0"],
    ]
    for name, options in {"plain": {}, "windows": {"lineterminator": "\r\n"}, "semicolons": {"delimiter": ";"}, "quoted": {"quoting": csv.QUOTE_ALL}}.items():
        text = io.StringIO()
        csv.writer(text, **{"lineterminator": "\n", **options}).writerows(fields)
        rows.put(f"table {name}", one_line(text.getvalue()))
    columns = list(zip(*fields[1:]))
    rows.put("Csv.Names", one_line("|".join(fields[0])))
    rows.put("Csv.Rows", len(fields) - 1)
    rows.put("Csv.Columns", len(fields[0]))
    for c, column in enumerate(columns):
        rows.put(f"Csv.Strings of {c}", one_line("|".join(column)))
    rows.put("Csv.Doubles", [float(x or "nan") for x in columns[3]])
    rows.put("Csv.Floats", np.array([float(x or "nan") for x in columns[3]], np.float32))
    rows.put("Csv.Ints", [int(x) for x in columns[4]])
    rows.put("Csv.Matrix", np.array([[float(r[3] or "nan"), float(r[4])] for r in fields[1:]]))
    rows.put("Csv.this", fields[2][2])
    rows.put("Csv.IsMissing", [[x == "" for x in row] for row in fields[1:]])
    rows.put("Csv.ColumnOf", fields[0].index('q"q'))
    rows.put("Csv.Has", [1, 0])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([fields[0][:3]] + [r[:3] for r in fields[1:]])
    rows.put("Csv.Add", one_line(text.getvalue()))
    rows.put("Csv.Save", one_line(text.getvalue()))


def pictures(rows):
    noise = (np.arange(7 * 5 * 4).reshape(7, 5, 4) * 7919 % 251).astype(np.uint8)
    modes = {
        "grey": Image.fromarray(noise[:, :, 0]),
        "colour": Image.fromarray(np.ascontiguousarray(noise[:, :, :3])),
        "clear": Image.fromarray(noise, "RGBA"),
        "palette": Image.fromarray(np.ascontiguousarray(noise[:, :, :3] // 100 * 100)).convert("P", palette=Image.Palette.ADAPTIVE, colors=16),
        "bits": Image.fromarray(noise[:, :, 1] > 100),
        "large": Image.fromarray(np.outer(np.arange(40), np.arange(3)).astype(np.uint8)),
    }
    for name, picture in modes.items():
        file = io.BytesIO()
        picture.save(file, "PNG")
        pixels = np.asarray(picture.convert("RGB" if name == "palette" else "L" if name == "bits" else picture.mode))
        rows.put(f"png {name}", file.getvalue().hex())
        rows.put(f"Image.LoadBytes of {name}", pixels.reshape(pixels.shape[0], -1))
        grey = np.asarray(picture.convert("RGB").convert("F")) if pixels.ndim == 3 else pixels
        rows.put(f"Image.LoadGrey of {name}", (grey if pixels.ndim == 2 else pixels[:, :, :3] @ [0.299, 0.587, 0.114]) / 255)
        colour = pixels[:, :, :3] if pixels.ndim == 3 else np.repeat(pixels[:, :, None], 3, 2)
        rows.put(f"Image.LoadColour of {name}", colour.reshape(len(colour), -1) / 255)
    for name, kind in {"grey": "pgm", "colour": "ppm"}.items():
        file = io.BytesIO()
        modes[name].save(file, "PPM")
        rows.put(f"pnm {name}", file.getvalue().hex())
        rows.put(f"Image.Save of {name}", file.getvalue().split(b"\n", 3)[-1].hex())
    levels = np.array([[-0.5, 0, 0.2, 0.5], [0.75, 1, 1.5, 0.999]])
    rows.put("levels", levels)
    rows.put("Image.Save of levels", np.floor(np.clip(levels, 0, 1) * 255 + 0.5))


def raws(rows):
    values = {
        "Bytes": ("<u1", [0, 1, 255, 128]),
        "Shorts": ("<i2", [0, -1, 32767, -32768, 258]),
        "Ints": ("<i4", [0, -1, 2**31 - 1, -(2**31), 0x01020304]),
        "Longs": ("<i8", [0, -1, 2**53, -(2**53), 0x0102030405]),
        "Floats": ("<f4", [0, -1.5, 1e-40, np.inf, 3.4e38]),
        "Doubles": ("<f8", [0, -1.5, 5e-324, np.nan, -np.inf, 1.7e308]),
    }
    for name, (kind, numbers) in values.items():
        a = np.array(numbers, kind)
        rows.put(f"Raw.Load{name}", a)
        rows.put(f"Raw.Save of {name}", a.tobytes().hex())


def markets(rows):
    s = sparse.coo_matrix(([1.5, -2, 1e-9, 4], ([0, 2, 2, 3], [1, 0, 4, 4])), shape=(4, 5))
    square = np.array([[2.0, -1, 0], [-1, 2, 0.5], [0, 0.5, 1e10]])
    files = {"general": s, "symmetric": sparse.coo_matrix(square), "skew": sparse.coo_matrix(np.triu(square, 1) - np.triu(square, 1).T), "array": square, "integer": sparse.coo_matrix((square * 2).astype(int))}
    for name, m in files.items():
        file = io.BytesIO()
        scio.mmwrite(file, m, comment="by SciPy", symmetry={"skew": "skew-symmetric", "symmetric": "symmetric"}.get(name, "general"))
        rows.put(f"market {name}", one_line(file.getvalue().decode()))
        dense = m if name == "array" else m.toarray()
        for function in ("Parse", "Load", "Save") if name != "array" else ("ParseDense", "LoadDense", "Save"):
            rows.put(f"MatrixMarket.{function} of {name}", dense)


def sequences(rows):
    records = [("s1", "the first", "ACGT" * 40), ("s2", "", "GATTACA"), ("empty", "of nothing", "")]
    text = "".join(f">{n}{' ' + d if d else ''}\n" + "".join(s[i : i + 70] + "\n" for i in range(0, len(s), 70)) for n, d, s in records)
    rows.put("fasta", one_line("; a comment\n" + text.replace("\n", "\r\n")))
    rows.put("FastaRecord.Name", "|".join(r[0] for r in records))
    rows.put("FastaRecord.Description", "|".join(r[1] for r in records))
    rows.put("FastaRecord.Sequence", "|".join(r[2] for r in records))
    rows.put("FastaRecord.Length", [len(r[2]) for r in records])
    rows.put("FastaRecord.Letters", np.frombuffer(records[1][2].encode(), np.uint8))
    rows.put("Fasta.Parse", len(records))
    rows.put("Fasta.Load", len(records))
    rows.put("Fasta.Save", one_line(text))


def conversions(rows):
    reals = [0, -0.5, 0.5, 1.5, 2.5, -2.5, 254.5, 1e9 + 0.5, -(2.0**31), 65.49]
    for name, low, high in [("ToInt32", -(2**31), 2**31 - 1), ("ToUInt32", 0, 2**32 - 1), ("ToInt64", -(2**63), 2**63 - 1), ("ToByte", 0, 255)]:
        rounded = [round(x) for x in reals]
        rows.put(f"Convert.{name} of reals", " ".join(str(r) if low <= r <= high else "error" for r in rounded))
    rows.put("reals", reals)
    texts = ["ff", "7F", "0", "80000000", "ffffffff", "777", "101", "-12", "x", "0x10", "ffffffffff", "4000000000", "4294967296"]
    rows.put("texts", " ".join(texts))
    for base in (2, 8, 10, 16):
        for name, bits in [("ToInt32", 32), ("ToInt64", 64), ("ToUInt32", 32)]:
            found = []
            for text in texts:
                if (text.startswith("-") and (base != 10 or name == "ToUInt32")) or (text.startswith("0x") and base != 16):
                    found.append("error")
                    continue
                try:
                    value = int(text, base)
                except ValueError:
                    value = 2**99
                if base == 10 and name != "ToUInt32" and not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
                    value = 2**99
                if value >= 2**bits:
                    found.append("error")
                else:
                    found.append(str(value if name == "ToUInt32" or value < 2 ** (bits - 1) else value - 2**bits))
            rows.put(f"Convert.{name} of base {base}", " ".join(found))
    ints = [0, 1, -1, 255, 2**31 - 1, -(2**31)]
    rows.put("ints", ints)
    for base, form in [(2, "b"), (8, "o"), (10, "d"), (16, "x")]:
        rows.put(f"Convert.ToString of base {base}", " ".join(format(i if base == 10 else i % 2**32, form) for i in ints))
    rows.put("Convert.ToDouble", [0.1, 1e300, -2.5e-3, 1])
    rows.put("Convert.ToSingle", np.array([0.1, 1e30, -2.5e-3], np.float32))
    rows.put("Convert.ToBoolean", [1, 0, 1, 0])
    rows.put("Convert.ToChar", chr(65) + chr(0x20AC))


def dates(rows):
    epoch = datetime.datetime(1, 1, 1)
    micro = datetime.timedelta(microseconds=1)
    times = [(2024, 2, 29, 13, 5, 9), (1, 1, 1, 0, 0, 0), (9999, 12, 31, 23, 59, 59), (1900, 3, 1, 12, 30, 0), (2000, 2, 28, 23, 59, 30), (1582, 10, 15, 1, 2, 3)]
    for t in times:
        d = datetime.datetime(*t)
        of = "of " + "-".join(str(x) for x in t)
        parts = {"Ticks": (d - epoch) // micro * 10, "Year": d.year, "Month": d.month, "Day": d.day, "Hour": d.hour, "Minute": d.minute, "Second": d.second}
        parts.update(DayOfYear=d.timetuple().tm_yday, DayOfWeek=(d.weekday() + 1) % 7, TimeOfDay=(d - d.replace(hour=0, minute=0, second=0)) // micro * 10)
        parts.update(Date=(d.replace(hour=0, minute=0, second=0) - epoch) // micro * 10)
        for name, value in parts.items():
            rows.put(f"DateTime.{name} {of}", value)
        rows.put(f"time {of}", list(t))
        if 1 < d.year < 9999:
            steps = {"Days": 366.25, "Hours": -24.5, "Minutes": 1.5, "Seconds": -30.125, "Milliseconds": 90500}
            for name, by in steps.items():
                rows.put(f"DateTime.Add{name} {of}", (d + datetime.timedelta(**{name.lower(): by}) - epoch) // micro * 10)
            rows.put(f"DateTime.AddYears {of}", (d.replace(year=d.year + 1, day=min(d.day, 28)) - epoch) // micro * 10)
            for months in (1, -14, 12):
                m = d.year * 12 + d.month - 1 + months
                last = (datetime.datetime((m + 1) // 12, (m + 1) % 12 + 1, 1) - datetime.timedelta(days=1)).day
                rows.put(f"DateTime.AddMonths {of}, {months}", (d.replace(year=m // 12, month=m % 12 + 1, day=min(d.day, last)) - epoch) // micro * 10)
    a, b = (datetime.datetime(*t) for t in times[:2])
    rows.put("DateTime.operator-", (a - b) // micro * 10)
    rows.put("DateTime.IsLeapYear", [y for y in range(1880, 2030) if (datetime.date(y, 3, 1) - datetime.date(y, 2, 1)).days == 29])
    rows.put("DateTime.DaysInMonth", [(datetime.date(2023 + (m == 12), m % 12 + 1, 1) - datetime.date(2023, m, 1)).days for m in range(1, 13)])
    rows.put("TimeSpan.TotalDays", (a - b) / datetime.timedelta(days=1))
    rows.put("TimeSpan.TotalHours", (a - b) / datetime.timedelta(hours=1))
    rows.put("TimeSpan.TotalMinutes", (a - b) / datetime.timedelta(minutes=1))
    rows.put("TimeSpan.TotalSeconds", (a - b) / datetime.timedelta(seconds=1))
    rows.put("TimeSpan.TotalMilliseconds", (a - b) / datetime.timedelta(milliseconds=1))
    rows.put("TimeSpan.Ticks", (a - b) // micro * 10)
    for name in ("Days", "Hours", "Minutes", "Seconds", "Milliseconds"):
        rows.put(f"TimeSpan.From{name}", datetime.timedelta(**{name.lower(): 2.375}) // micro * 10)


def randoms(rows):
    """Bounds that a right generator keeps but for one seed in ten thousand."""
    n, p = 20000, 1 - 1e-4
    normal, uniform = stats.norm(), stats.uniform()
    rows.put("samples", n)
    for name in ("Random.Normal", "Random.NextNormal"):
        rows.put(f"{name} distance", stats.kstwo.ppf(p, n))
        rows.put(f"{name} quantiles", normal.ppf(np.arange(1, 64) / 64))
    for name in ("Random.Uniform", "Random.NextDouble", "Random.NextSingle"):
        rows.put(f"{name} distance", stats.kstwo.ppf(p, n))
        rows.put(f"{name} quantiles", uniform.ppf(np.arange(1, 64) / 64))
    for name in ("Random.Integers", "Random.Next", "Random.NextInt64"):
        rows.put(f"{name} chi-square", stats.chi2.ppf(p, 12))
    rows.put("Random.Permutation chi-square", stats.chi2.ppf(p, math.factorial(4) - 1))
    rows.put("Random.Shuffle chi-square", stats.chi2.ppf(p, math.factorial(4) - 1))
