#!/usr/bin/env python3
"""Random functions of arrays: seed . Jvp = Vjp . direction, and Jvp as central differences have it.
gradients.py FROM TO prints a program that checks the functions of these numbers (tests/gradients.sh)."""
import random
import sys


class Function:
    def __init__(self, number):
        self.r = random.Random(number)
        self.lines, self.names, self.fresh = [], ["u", "v"], 0

    def name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def read(self, at):
        f, r = self.r.choice(self.names), self.r.randrange(7)
        if r < 3:
            return f"{f}({at})"
        if r < 5:
            return f"{self.r.choice(['Clamp', 'Periodic', 'Mirror'])}({f})({at} {self.r.choice('+-')} {self.r.randrange(1, 4)})"
        if r < 6:
            return f"{f}(k({at}))"
        return f"{f}(6 - {at})"

    def real(self, at, depth):
        r = self.r.randrange(12) if depth else 0
        if r < 2:
            return self.read(at)
        one = self.real(at, depth - 1)
        if r < 5:
            return f"({one} {self.r.choice('+-*')} {self.real(at, depth - 1)})"
        if r == 5:
            return f"({one} / (2 + {self.real(at, depth - 1)} * 0.1 * Math.Sin({self.read(at)})))"
        if r == 6:
            return f"Math.{self.r.choice(['Sin', 'Cos', 'Tanh', 'Atan', 'Erf'])}({one})"
        if r == 7:
            return f"({one} > {self.r.uniform(-1, 1):.3f} ? {self.real(at, depth - 1)} : {self.real(at, depth - 1)})"
        if r == 8:
            return f"Math.{self.r.choice(['Min', 'Max'])}({one}, {self.real(at, depth - 1)})"
        if r == 9:
            return f"Math.Sqrt(1 + Math.Abs({one}))"
        j = self.name("j")
        op = self.r.choice(["sum", "sum", "max", "min", "prod"])
        term = f"0.3 * Math.Tanh({self.real(j, depth - 1)})"
        term = f"({term} + {'1' if op == 'prod' else '0.1'} * Math.Cos({self.read(at)}))"
        return f"{op}({j} : {self.r.choice(['0', at])}..7, {term})" if op in ("sum", "prod") else f"{op}({j} : 0..7, {term})"

    def text(self, number):
        for _ in range(self.r.randrange(1, 4)):
            f = self.name("f")
            if self.r.randrange(4) == 0:
                self.lines.append(f"double[] {f}(i : 0..7) = i == 0 ? {self.read('i')} : "
                                  f"0.5 * Math.Sin({f}(i - 1)) * {self.read('i')} + {self.read('i')};")
            else:
                kind = self.r.choice(["var", "double[]"])
                self.lines.append(f"{kind} {f} = (i : 0..7) => {self.real('i', 3)};")
            self.names.append(f)
        self.lines.append(f"double[] r = (i : 0..7) => {self.real('i', 2)} + {self.names[-1]}(i);")
        body = "\n    ".join(self.lines)
        inner = f"double[] g{number}(double[] u, double[] v, int[] k) {{\n    {body}\n    return r;\n}}\n"
        if number % 3:
            return inner
        inner = inner.replace(f"g{number}(", f"inner{number}(", 1)
        return inner + self.host(number)

    def condition(self, t):
        return self.r.choice([f"{t} % 2 == {self.r.randrange(2)}", f"sum(i : 0..7, u(i)) > {self.r.uniform(-2, 2):.3f}",
                              f"s < {self.r.uniform(-1, 2):.3f}"])

    def statements(self, depth, loop, pad):
        """Assignments, calls, branches and loops over the variables u, v, a and s."""
        self.names, out = ["u", "v", "a"], []
        for _ in range(self.r.randrange(1, 4)):
            r, x = self.r.randrange(9 if depth else 5), self.r.choice(["u", "a"])
            if r < 2:
                y = self.name("y")
                out.append(f"double[] {y}(i : 0..7) = Math.Tanh({self.real('i', 2)}) + 0.1 * s; {x} = {y};")
            elif r < 3:
                out.append(f"s {self.r.choice(['+=', '-=', '='])} 0.3 * Math.Sin(sum(i : 0..7, {self.real('i', 1)}));")
            elif r < 4:
                out.append(f"{x} = inner{self.number}({self.r.choice(['u', 'a'])}, v, k) * 0.2;")
            elif r < 5:
                c, y = self.name("c"), self.name("y")
                out.append(f"var {c} = {self.r.choice(['Clamp', 'Periodic'])}({x}); double[] {y}(i : 0..7) = "
                           f"0.5 * {c}(i + {self.r.randrange(-2, 3)}) + 0.3 * {self.read('i')}; {x} = {y};")
            elif r < 7:
                t = self.name("t")
                inside = self.statements(depth - 1, t, pad + "    ")
                jump = self.r.choice(["", "", f"if ({self.condition(t)}) break;", f"if ({self.condition(t)}) continue;"])
                last = self.statements(0, t, pad + "    ") if jump else ""
                out.append(f"for (int {t} = 0; {t} < {self.r.randrange(0, 6)}; {t}++) {{{inside}{pad}    {jump}{last}{pad}}}")
            else:
                other = f" else {{{self.statements(depth - 1, loop, pad + '    ')}{pad}}}" if self.r.randrange(2) else ""
                out.append(f"if ({self.condition(loop)}) {{{self.statements(depth - 1, loop, pad + '    ')}{pad}}}{other}")
        return "".join(pad + line for line in out)

    def host(self, number):
        self.number = number
        body = self.statements(2, "k(0)", "\n    ")
        return (f"double[] g{number}(double[] u, double[] v, int[] k) {{\n    double s = u(3);\n    double[] a = v;{body}"
                f"\n    double[] all(i : 0..7) = u(i) + a(i) * s;\n    return all;\n}}\n")


def check(n):
    return f"""void check{n}() {{
    var (f, df) = Jvp(g{n}(_, _, k))(u, v, du, dv);
    var (au, av) = Vjp(g{n}(_, _, k))(u, v, seed);
    double forward = sum(seed(i) * df(i)), back = sum(au(i) * du(i)) + sum(av(i) * dv(i));
    double[] up = g{n}(u + 1e-6 * du, v + 1e-6 * dv, k), down = g{n}(u - 1e-6 * du, v - 1e-6 * dv, k);
    double size = 1 + sum(Math.Abs(seed(i) * df(i))), near = sum(seed(i) * (up(i) - down(i))) / 2e-6;
    if (!(Math.Abs(forward - back) <= 1e-11 * size)) Console.WriteLine($"{n}: {{forward}} forward, {{back}} back");
    if (!(Math.Abs(forward - near) <= 1e-6 * size)) Console.WriteLine($"{n}: {{forward}} forward, {{near}} by differences");
}}
check{n}();
"""


numbers = range(int(sys.argv[1]), int(sys.argv[2]))
print("""int[] k = {3, 0, 6, 3, 2, 2, 5};
double[] u = (i : 0..7) => Math.Sin(3.1 * i + 1), v = (i : 0..7) => Math.Cos(1.7 * i);
double[] du = (i : 0..7) => Math.Sin(2.3 * i), dv = (i : 0..7) => Math.Cos(0.9 * i + 2);
double[] seed = (i : 0..7) => Math.Sin(5.3 * i + 0.5);""")
for n in numbers:
    print(Function(n).text(n) + check(n))
print(f'Console.WriteLine("{len(numbers)} functions");')
