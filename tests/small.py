"""Random loops over arrays of a few elements, as a program: small.py SEED LOOPS. What csc makes variables of their elements
(sema/lower/scalars/) is mixed with what keeps it from that: indices that vary, ref, foreach, lambdas, other lengths, lists. Some
statements throw in a few turns: the exception is printed with the turn. All are integers, so they are the same however
they are evaluated."""
import random
import sys

FUNCTIONS = """int[] Turn(int[] v) => new int[] { -v[1], v[0] };
int[] Mixed(int[] v, int by) { int first = v[0] + by, other = v[v.Length - 1]; int[] w = v + by; w[0] = first * 3 + other; return w & 1023; }
int[] Above(int[] v, int[] w) { int[] d = v - w; return d * d & 511; }
int[] Looped(int[] v) { for (int i = 0; i < v.Length; i++) v[i] = v[i] * 3 + i & 1023; return v; }
int[] Divided(int[] v, int by) => new int[] { v[0] / by, v[1] % by };
int[,] Product(int[,] a, int[,] b) { int[,] c(i, j) = + (a(i, k) * b(k, j)); return c & 255; }
int Dot(int[] a, int[] b) => sum(a * b) & 4095;
int Most(int[] a) => max(a) - Dot(a, a);
int Spread(int[] a) { int lo = min(a), hi = max(a); int[] d = a - lo; return (hi - lo) * 3 + sum(d * d) & 2047; }
int[] Both(Func<int, int[], int[]> f, int by, int[] v) { int[] w = f(by, v); return f(by + 1, w + v) & 255; }
int[] Walk(int[] v, int n) {
    int[] w = v;
    for (int i = 0, k = 2; i < n; i++) {
        int[] d = w - k;
        if (w[0] > 100) w = w - d / 2; else { int more = i * k; w = w * 2 + more & 1023; }
        if (w[v.Length - 1] > 900) break;
        k += d[0] & 1;
    }
    return w;
}
int[] Shift(int by, int[] v) => v * by - 1;
void Change(ref int[] v) { v = v + 1; }
"""


class Loop:
    def __init__(self, number, draw):
        self.number, self.draw = number, draw
        self.n = draw.randint(1, 4)
        self.same = [f"a{number}", f"b{number}", f"c{number}"]
        self.pairs = [f"p{number}", f"q{number}"]
        self.squares = [f"m{number}", f"w{number}"]
        self.news = 0

    def number_of(self):
        return self.draw.choice(["t", "3", "t * 5 + 1", "(s & 7)", "n", str(self.draw.randint(-9, 9))])

    def index(self, n):
        sort = self.draw.random()
        if sort < 0.85:
            return str(self.draw.randrange(n))
        if sort < 0.95:
            return f"{n - 1} - {self.draw.randrange(n)}"
        return f"t % {n}" if sort < 0.99 else f"t - {self.draw.randint(0, 9)}"

    def element(self, v):
        sort = self.draw.random()
        if sort < 0.4:
            return f"{self.draw.choice(self.same)}({v})"
        if sort < 0.5:
            return f"({v} > 0 ? {self.draw.choice(self.same)}({v} - 1) : {self.number_of()})"
        if sort < 0.6:
            return f"sum(k : 0..{self.n}, {self.draw.choice(self.same)}(k) * ({v} + 1))"
        return self.draw.choice([v, self.number_of(), f"{v} * {self.number_of()}", f"({v} == 0 ? 7 : t)"])

    def statement(self):
        draw = self.draw
        kind = draw.randint(0, 19)
        a, b = draw.choice(self.same), draw.choice(self.same)
        p, q = draw.choice(self.pairs), draw.choice(self.pairs)
        m, w = draw.choice(self.squares), draw.choice(self.squares)
        self.news += 1
        new = f"x{self.number}_{self.news}"
        if kind == 0:
            return [f"int[] {new}(i : 0..n) = {self.element('i')} + {self.element('i')} & 1023;", f"{a} = {new};"]
        if kind == 1 and draw.random() < 0.5:
            return [f"var {new}(i : 0..{self.n}) = {self.element('i')} & 1023;", f"s += {new}({self.index(self.n)});"]
        if kind == 2:
            return [f"{a} = {a} * {self.number_of()} - {b} & 511;"]
        if kind == 3:
            return [f"{p} = Turn({q} + {self.number_of()});"]
        if kind == 4:
            return [f"{a} = Mixed({b}, {self.number_of()});"]
        if kind == 5:
            return [f"{a} = Above({a}, Mixed({b}, t));"]
        if kind == 6 and draw.random() < 0.5:
            return [f"s += Dot({a}, {b}) - Most({p});"]
        if kind == 7:
            return [f"{m} = Product({m}, {w}) + {self.number_of()};"]
        if kind == 8:
            return [f"{a}[{self.index(self.n)}] {draw.choice(['=', '+=', '-='])} {self.number_of()};", f"{p}[1]++;"]
        if kind == 9:
            return [f"{m}[{self.index(2)}, {self.index(2)}] = {p}[{self.index(2)}] & 63;"]
        if kind == 10:
            return [f"{a} = {b};", f"{b}[0] = t;", f"{p} = Walk({q}, {self.number_of()});"]
        if kind == 11:
            return [f"if ({a}[0] > {self.number_of()}) {a} = {b}; else {p} = new int[] {{ {p}[1], s & 15 }};"]
        if kind == 12 and draw.random() < 0.5:
            return [f"int[] {new} = {{ {p}[1], {p}[0], t }};", f"s += sum({new} * {new}) & 4095;"]
        if kind == 13:
            return [f"int[,] {new}(i : 0..2, j : 0..2) = {m}(j, i) + {p}(i) & 127;", f"{w} = {new};"]
        if kind == 14 and draw.random() < 0.5:
            return [f"int[] {new}(i : 1..3) = {p}(i - 1) * 2;", f"s += {new}[{draw.choice(['1', '2', '2', '3'])}] + sum({new});"]
        if kind == 14 or kind == 6:
            return [f"s += Spread({a}) + t;", f"int {new} = Spread({p});", f"s -= {new};"]
        if kind == 1 or kind == 12:
            return [f"{a} = Both(Shift, {self.number_of()}, {b});", f"{p} = Both((by, v) => new int[] {{ v[1] + by, v[0] - s }}, t, {p});"]
        if kind == 15:
            return [f"while (Dot({p}, {p}) > 100) {p} = {p} / 2;"]
        if draw.random() > 0.1:  # these keep arrays what they are
            return [f"s += {a}[0] + {p}[1] - {m}[0, 1];"]
        if kind == 16:
            return [f"Change(ref {a});"]
        if kind == 17:
            return [f"foreach (var e in {p}) s += e;", f"list.Add({a});"]
        if kind == 18:
            return [f"{p} = Divided({p}, t - {draw.randint(0, 12)});"]
        return [draw.choice([f"{a} = Looped({a});", f"{p} = new int[] {{ {p}[0] }} ;", f"s += {p}[2];"])]

    def lines(self):
        draw, k = self.draw, self.number
        values = [", ".join(str(draw.randint(-9, 20)) for _ in range(self.n)) for _ in self.same]
        out = [f"void Loop{k}() {{", f"    int n = {self.n}, s = 0;", "    var list = new List<int[]>();"]
        out += [f"    int[] {v} = {{ {x} }};" for v, x in zip(self.same, values)]
        out += [f"    int[] {v} = {{ {draw.randint(0, 9)}, {draw.randint(-5, 5)} }};" for v in self.pairs]
        out += [f"    int[,] {v}(i : 0..2, j : 0..2) = i * {draw.randint(0, 5)} + j;" for v in self.squares]
        body = [line for _ in range(draw.randint(2, 6)) for line in self.statement()]
        turns = f"    for (int t = 0; t < {draw.randint(2, 12)}; t++) {{"
        if draw.random() < 0.5:
            out += ["    int at = 0;", "    try {", turns, "        at = t;"] + ["        " + line for line in body] + ["    }"]
            out += ["    } catch (Exception e) {", '        Console.WriteLine($"turn {at}: {e.Message}");', "    }"]
        else:
            out += [turns] + ["        try { " + " ".join(body) + " }", '        catch (Exception e) { Console.WriteLine($"{t}: {e.Message}"); }', "    }"]
        out += [f'    Console.WriteLine($"{k}: {{s}} {" ".join("{" + v + "}" for v in self.same + self.pairs + self.squares)}");']
        return out + ["    foreach (var x in list) Console.WriteLine(x);", "}", f"Loop{k}();"]


draw = random.Random(int(sys.argv[1]))
print("using System;\nusing System.Collections.Generic;")
print(FUNCTIONS)
for number in range(int(sys.argv[2])):
    print("\n".join(Loop(number, draw).lines()))
