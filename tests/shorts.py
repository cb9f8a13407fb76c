"""Random reductions in loops of the host, as a program: shorts.py SEED LOOPS. Sums, products, extremes, any and all over one
or two variables, of elements of arrays of one and two dimensions that begin anywhere, at indices that move evenly, forwards or
backwards, inside or outside, some behind guards; arrays are set element by element in between. Each is printed, or what it
throws. Integers alone: the same whatever makes them."""
import random
import sys


class Loop:
    def __init__(self, number, draw):
        self.number, self.draw = number, draw
        self.arrays, self.names = [], ["k"]
        for name in ["a", "b", "c", "m", "w"][: draw.randint(2, 5)]:
            rank = 2 if name in "mw" else 1
            low = [draw.choice([0, 0, 0, -4, 3]) for _ in range(rank)]
            size = [draw.choice([1, 5, 12, 30, 70]) for _ in range(rank)]
            self.arrays.append((name, draw.choice(["int", "int", "long", "byte", "short", "uint"]), low, size))

    def index(self, low, size):
        draw = self.draw
        k = draw.choice(self.names)
        moving = draw.choice([k, k, k, f"{k} + 1", f"{k} - 1", f"{k} + t", f"2 * {k}", f"{2 * low + size - 1} - {k}", f"t - {k}"])
        if len(self.names) > 1 and draw.random() < 0.2:
            moving = draw.choice(["k + l", "k - l", "2 * l - k"])
        return draw.choice([moving] * 4 + [f"{low + draw.randrange(size)}", f"{low} + t % {size}"])

    def read(self):
        name, type_, low, size = self.draw.choice(self.arrays)
        at = ", ".join(self.index(l, n) for l, n in zip(low, size))
        return f"{'(int) ' if type_ in ('uint', 'long') else ''}{name}({at})"

    def value(self, depth=0):
        draw = self.draw
        if depth > 2 or draw.random() < 0.3:
            return draw.choice([self.read()] * 5 + ["k", "t", "7"])
        x, y = self.value(depth + 1), self.value(depth + 1)
        kind = draw.choice(["+", "-", "*", "&", "^", "min", "max", "?", "abs"])
        if kind in ("min", "max"):
            return f"Math.{kind.capitalize()}({x}, {y})"
        if kind == "abs":
            return f"Math.Abs({x} & 65535)"
        if kind == "?":
            return f"({self.condition()} ? {x} : {y})"
        return f"({x} {kind} {y})"

    def condition(self):
        return f"{self.draw.choice(['k', 't', self.read()])} {self.draw.choice(['>', '<=', '==', '!='])} {self.draw.choice(['3', 't', 'k'])}"

    def ranges(self):
        draw = self.draw
        name, _, low, size = draw.choice(self.arrays)
        return draw.choice([f"{low[0]}..{low[0] + size[0]}", f"{low[0]}..{low[0]} + t", f"t..{low[0] + size[0]}", f"{low[0] + 1}..{low[0] + size[0] - 1}",
                            f"{name}.GetLowerBound(0)..{low[0] + size[0]}", "0..t", "t..t + 3", "t..2"])

    def reduction(self):
        draw = self.draw
        kind = draw.choice(["sum", "sum", "sum", "prod", "min", "max", "any", "all"])
        if kind in ("any", "all"):  # they may end before an element outside, or not
            name, type_, low, size = draw.choice([x for x in self.arrays if len(x[2]) == 1])
            return f"({kind}(k : {low[0]}..{low[0] + size[0]}, {name}(k) {draw.choice(['>', '!='])} {draw.choice(['t', '37', 'k'])}) ? 1 : 0)"
        cast = draw.choice(["", "(long) "])
        self.names = ["k", "l"] if draw.random() < 0.3 else ["k"]
        inner = f", l : {draw.choice(['0..3', 't..t + 2', '-2..4'])}" if len(self.names) > 1 else ""
        text = f"{kind}(k : {self.ranges()}{inner}, {cast}({self.value()}))"
        self.names = ["k"]
        return text

    def put(self):
        name, type_, low, size = self.draw.choice(self.arrays)
        at = ", ".join(self.draw.choice([f"{l + self.draw.randrange(n)}", f"{l} + t % {n}"]) for l, n in zip(low, size))
        return f"        {name}[{at}] = ({type_}) ({self.draw.choice(['s & 255', 't', f'{self.reduction()} & 127'])});"

    def text(self):
        draw = self.draw
        lines = [f"void loop{self.number}() {{"]
        for name, type_, low, size in self.arrays:
            vars_ = ["i", "j"][: len(low)]
            ranges = ", ".join(f"{v} : {l}..{l + n}" for v, l, n in zip(vars_, low, size))
            lines.append(f"    {type_}[{',' * (len(low) - 1)}] {name}({ranges}) = ({type_}) ({' + '.join(f'{v} * {m}' for v, m in zip(vars_, [37, 11]))} & 127);")
        lines += ["    long s = 0;", f"    for (int t = 0; t < {draw.randint(2, 9)}; t++) {{"]
        for at in range(draw.randint(1, 4)):
            lines.append(f"        try {{ long r = {self.reduction()}{draw.choice(['', ' + t', f' - {self.reduction()}'])}; s = s * 31 + r; }}")
            lines.append(f"        catch (Exception e) {{ Console.WriteLine($\"{self.number}.{at} {{e.GetType().Name}}\"); s += 5; }}")
            if draw.random() < 0.5:
                lines.append("        try {\n    " + self.put() + f"\n        }} catch (Exception e) {{ Console.WriteLine($\"put {{e.GetType().Name}}\"); }}")
            if draw.random() < 0.2:
                name, type_, low, size = draw.choice(self.arrays)
                lines.append(f"        {name} = let({', '.join(f'{v} : {l}..{l + n}' for v, l, n in zip('ij', low, size))}) ({type_}) ({name}({', '.join('ij'[: len(low)])}) + t & 127);")
        lines += ["    }", f"    Console.WriteLine($\"loop{self.number} {{s}}\");", "}", f"loop{self.number}();"]
        return "\n".join(lines)


if __name__ == "__main__":
    draw = random.Random(int(sys.argv[1]))
    print("\n".join(Loop(i, draw).text() for i in range(int(sys.argv[2]))))
