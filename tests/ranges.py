"""Random loops whose ranges are others in each turn, as a program: ranges.py SEED LOOPS. Arrays grow and shrink, parts of
them are set, read as slices and as rows, columns and rest of a matrix, and summed; functions are called for ranges of two
kinds in turn. Some reads and slices leave their array in a few turns: the exception is printed with the turn. All are
integers, so they are the same however they are evaluated."""
import random
import sys


class Loop:
    def __init__(self, number, draw):
        self.number, self.draw = number, draw
        self.n = draw.randint(3, 40)
        self.turns = draw.randint(5, 40)
        self.daring = draw.random() < 0.2

    def place(self):
        """A number of this turn, in 0..n, or near it."""
        draw, n = self.draw, self.n
        text = draw.choice(["t", "n - t", f"t * {draw.randint(2, 5)} % n", f"t / {draw.randint(2, 4)}", "n / 2",
                            f"n - t * {draw.randint(2, 3)} % n", "(t % 2 == 0 ? t : n - t)", str(draw.randint(0, n))])
        text += draw.choice(["", "", "", " + 1", " - 1"])
        return text if self.daring and draw.random() < 0.3 else f"Math.Clamp({text}, 0, n)"

    def bounds(self):
        lo, hi = self.place(), self.place()
        return self.draw.choice([(lo, "n"), ("0", hi), (lo, f"Math.Max({lo}, {hi})"), (lo, f"{lo} + Math.Min(3, n - {lo})")])

    def term(self, of, v):
        """An element of the array `of`, whose range is 0..n, near v, mostly inside."""
        shift = self.draw.randint(-2, 2)
        if shift == 0 or self.draw.random() < 0.3:
            return f"{of}({v})"
        at = f"{v} {'+' if shift > 0 else '-'} {abs(shift)}"
        inside = f"{v} < n - {shift}" if shift > 0 else f"{v} >= {-shift}"
        return f"({inside} ? {of}({at}) : {self.draw.choice(['0', 't', 'fixed'])})"

    def value(self, v):
        draw = self.draw
        terms = [self.term(draw.choice(["a", "b"]), v) for _ in range(draw.randint(1, 3))]
        terms.append(draw.choice(["t", "fixed", v, "3", f"m(Math.Min(t, n - 1), {v})", f"m({v}, Math.Min(t, n - 1))"]))
        return f"(({' + '.join(terms)}) & 1023)"

    def statement(self):
        draw, kind = self.draw, self.draw.randint(0, 10)
        lo, hi = self.bounds()
        w = f"w{draw.randint(0, 99999)}"
        if kind == 0:
            return [f"a[{lo}..{hi}] = let(i : {lo}..{hi}) {self.value('i')};"]
        if kind == 1:
            return [f"int[] {w}(i : {lo}..{hi}) = {self.value('i')};", f"s += sum({w}) + {w}.Length;"]
        if kind == 2:
            return [f"s += sum(i : {lo}..{hi}, {self.value('i')});"]
        if kind == 3:
            return [f"int[] {w} = {draw.choice(['a', 'b'])}[{lo}..{hi}];",
                    f"int[] {w}b(i : 0..{w}.Length) = {w}(i) * 2 + t;", f"s += sum({w}b) & 4095;"]
        if kind == 4:
            return [draw.choice(["if (p.Length > 1) p = let(i : 0..p.Length - 1) (p(i + 1) - p(i)) & 1023;",
                                 "if (p.Length < 60) p = let(i : 0..p.Length + 1) (i < p.Length ? p(i) : t) + (i > 0 ? p(i - 1) & 511 : 1);"]),
                    "s += p[p.Length / 2] + p.Length;"]
        if kind == 5:
            rows, columns = self.bounds(), self.bounds()
            return [f"m[{rows[0]}..{rows[1]}, {columns[0]}..{columns[1]}] = let(i : {rows[0]}..{rows[1]}, j : {columns[0]}..{columns[1]}) "
                    f"(m(i, j) + {self.term('a', 'i')} * {self.term('b', 'j')} + t) & 1023;"]
        if kind == 6:
            at = draw.choice(["t % n", "n - 1 - t % n"])
            return [draw.choice([f"m[{lo}..{hi}, {at}] = let(i : {lo}..{hi}) m(i, {at}) + a(i) & 1023;",
                                 f"m[{at}, {lo}..{hi}] = let(i : {lo}..{hi}) m(i, i) + b(i) & 1023;"])]
        if kind == 7:
            rows = self.bounds()
            return [f"int[] {w}(i : {rows[0]}..{rows[1]}) = sum(k : {lo}..{hi}, m(i, k) * a(k)) & 1023;",
                    f"s += sum({w}) * 3;"]
        if kind == 8:
            return [f"s += twice{self.number}(a[{lo}..{hi}], t);", f"if (t % 3 == 0) s += twice{self.number}(b, (int) (s & 7));"]
        if kind == 9:
            return [f"s += {draw.choice(['min', 'max'])}(i : {lo}..{hi} + 1, i < n ? {self.value('i')} : 5);"]
        return [f"b[Math.Min(t, n - 1)] = a[n - 1 - Math.Min(t, n - 1)] + (int) (s & 63);"]

    def text(self):
        draw, k = self.draw, self.number
        body = [line for _ in range(draw.randint(1, 4)) for line in self.statement()]
        lines = [f"int twice{k}(int[] x, int c) {{",
                 f"    int[] y(i : 0..x.Length) = x(i) * {draw.randint(2, 9)} + c;",
                 "    return sum(y) & 4095;", "}",
                 f"void loop{k}(int n, int turns, int fixed) {{",
                 "    int[] a(i : 0..n) = i * 7 % 11, b(i : 0..n) = i * i % 13, p = {1, 2, 3};",
                 "    int[,] m(i : 0..n, j : 0..n) = (i * 3 + j * 5) % 17;",
                 "    long s = 0;", "    int t = 0;", "    try {",
                 "        for (; t < turns; t++) {"]
        lines += [f"            {line}" for line in body]
        lines += ["        }", "    } catch (Exception e) {", "        Console.WriteLine($\"{t}: {e.GetType().Name}\");", "    }",
                  f"    Console.WriteLine($\"{k}: {{s}} {{t}} {{sum(i : 0..n, a(i) * (i + 1))}} {{sum(i : 0..n, b(i) * (i + 1))}} \" +",
                  "        $\"{sum(p)} {sum(i : 0..n, j : 0..n, m(i, j) * (i * n + j + 1L))}\");", "}",
                  f"loop{k}({self.n}, {self.turns}, {draw.randint(0, 9)});"]
        if draw.random() < 0.4:
            lines.append(f"loop{k}({draw.randint(3, 50)}, {self.turns}, {draw.randint(0, 9)});")
        return "\n".join(lines)


def main():
    draw = random.Random(int(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        print(Loop(number, draw).text())


main()
