"""Random steps of reals, as a program: reals.py SEED LOOPS. Products and sums of neighbours in all orders, by statements that share
them; what is printed is made of all bits. Plans and numbers of ranks compute the same, so they print the same; the reference
executor contracts nothing, so it does not."""
import random
import sys

HASH = """void Show(string name, double[,] u) {
    long h = 0;
    for (int i = 0; i < u.GetLength(0); i++) for (int j = 0; j < u.GetLength(1); j++) h = h * 31 + (double.IsNaN(u[i, j]) ? 7 : BitConverter.DoubleToInt64Bits(u[i, j]));
    Console.WriteLine($"{name} {h}");
}"""


class Loop:
    def __init__(self, number, draw):
        self.number, self.draw = number, draw
        self.n, self.m = draw.randint(60, 300), draw.choice([63, 64, 100, 257, 300])
        self.arrays = [f"{v}{number}" for v in "abc"[: draw.randint(1, 3)]]
        self.edge = draw.choice(["round", "clamp", "inside"])

    def read(self, array):
        di, dj = self.draw.randint(-1, 1), self.draw.randint(-1, 1)
        def at(v, d, n):
            if d == 0:
                return v
            moved = f"{v} {'+' if d > 0 else '-'} {abs(d)}"
            if self.edge == "round":
                return f"({moved} + {n}) % {n}"
            return f"Math.Clamp({moved}, 0, {n} - 1)" if self.edge == "clamp" else moved
        return f"{array}({at('i', di, self.n)}, {at('j', dj, self.m)})"

    def factor(self, names):
        sort = self.draw.random()
        if sort < 0.7:
            return self.read(self.draw.choice(names))
        return self.draw.choice(["0.3", "1.7", "t * 0.01", "(i - j) * 0.001", f"Math.Abs({self.read(names[0])})"])

    def value(self, names):
        draw, terms = self.draw, []
        for _ in range(draw.randint(2, 5)):
            factors = [f"{draw.uniform(0.05, 0.5):.3f}"] * (draw.random() < 0.8) + [self.factor(names) for _ in range(draw.randint(1, 2))]
            terms.append(" * ".join(factors))
        text = terms[0]
        for term in terms[1:]:
            text += draw.choice([" + ", " - "]) + term
        return f"{draw.choice(['', '0.9 * '])}({text})" if draw.random() < 0.5 else text

    def lines(self):
        draw, k, n, m = self.draw, self.number, self.n, self.m
        out = [f"void Loop{k}() {{"]
        out += [f"    double[,] {v}(i : 0..{n}, j : 0..{m}) = Math.Sin(i * 0.{draw.randint(1, 9)}) * Math.Cos(j * 0.0{draw.randint(1, 9)});" for v in self.arrays]
        out += [f"    for (int t = 0; t < {draw.randint(4, 24)}; t++) {{"]
        guard = f"i > 0 && j > 0 && i < {n} - 1 && j < {m} - 1 ? " if self.edge == "inside" else ""
        stages = []
        for s in range(draw.randint(0, 2)):
            name = f"s{k}_{s}"
            own = f" : {self.arrays[0]}(i, j)" if guard else ""
            out.append(f"        double[,] {name}(i : 0..{n}, j : 0..{m}) = {guard}{self.value(self.arrays)}{own};")
            stages.append(name)
        for v in self.arrays:
            own = f" : {v}(i, j)" if guard else ""
            out.append(f"        double[,] n{v}(i : 0..{n}, j : 0..{m}) = {guard}{self.value(self.arrays + stages)}{own};")
        out += ["        " + " ".join(f"{v} = n{v};" for v in self.arrays), "    }"]
        return out + [f'    Show("{v}", {v});' for v in self.arrays] + ["}", f"Loop{k}();"]


draw = random.Random(int(sys.argv[1]))
print("using System;")
print(HASH)
for number in range(int(sys.argv[2])):
    print("\n".join(Loop(number, draw).lines()))
