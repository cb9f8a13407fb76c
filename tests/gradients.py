#!/usr/bin/env python3
"""Random functions of arrays: seed . Jvp = Vjp . direction, and Jvp as central differences have it.
gradients.py FROM TO prints a program that checks the functions of these numbers (tests/gradients.sh). Its numbers are not equal
and not zero, so that no two operands of Min are: there differences have the mean of both sides."""
import random
import sys


class Function:
    def __init__(self, number):
        self.r = random.Random(number)
        self.lines, self.names, self.fresh = [], ["u", "v"], 0
        self.records, self.short, self.tables = ["w"], [], []  # of vec; of fewer elements; of rank 2

    def name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def read(self, at):
        f, r = self.r.choice(self.names), self.r.randrange(11)
        if r == 7:
            return f"{self.r.choice(self.records)}({self.r.choice([at, f'k({at})', f'6 - {at}'])}).{self.r.choice(['x', 'y'])}"
        if r == 8 and self.short:
            return f"{self.r.choice(['Clamp', 'Periodic', 'Mirror'])}({self.r.choice(self.short)})({at})"
        if r == 9 and self.tables:
            return f"{self.r.choice(self.tables)}({self.r.choice([f'{at}, k({at})', f'6 - {at}, {at}', f'{at}, 3', f'2, {at}'])})"
        if r == 10:
            return f"{self.r.choice(['Constant', 'Constant'])}({f}, {self.r.uniform(-1, 1):.2f})({at} {self.r.choice('+-')} {self.r.randrange(1, 4)})"
        if r > 6:
            return f"{f}({at})" if self.r.randrange(3) else f"p.{self.r.choice(['x', 'y'])}"
        if r < 3:
            return f"{f}({at})"
        if r < 5:
            return f"{self.r.choice(['Clamp', 'Periodic', 'Mirror'])}({f})({at} {self.r.choice('+-')} {self.r.randrange(1, 4)})"
        if r < 6:
            return f"{f}(k({at}))"
        return f"{f}(6 - {at})"

    def real(self, at, depth):
        r = self.r.randrange(14) if depth else 0
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
        if r == 12:  # a sum by key
            return f"sum({j} : 0..7, k({j}) == {at} ? Math.Sin({self.real(j, depth - 1)}) : 0)"
        if r == 13:  # a function of the program: one with branches, one of a record
            return (f"bent({one}, {self.read(at)})" if self.r.randrange(2) else
                    f"new vec({one}, {self.real(at, depth - 1)}).{self.r.choice(['Norm', 'Turned().x', 'y'])}")
        op = self.r.choice(["sum", "sum", "max", "min", "prod"])
        term = f"0.3 * Math.Tanh({self.real(j, depth - 1)})"
        term = f"({term} + {'1' if op == 'prod' else '0.1'} * Math.Cos({self.read(at)}))"
        return f"{op}({j} : {self.r.choice(['0', at])}..7, {term})" if op in ("sum", "prod") else f"{op}({j} : 0..7, {term})"

    def text(self, number):
        for _ in range(self.r.randrange(1, 4)):
            f = self.name("f")
            kind = self.r.randrange(8)
            if kind == 0:
                self.lines.append(f"vec[] {f} = (i : 0..7) => new vec({self.real('i', 2)}, {self.read('i')});")
                self.records.append(f)
                continue
            if kind == 1:
                lo, hi = self.r.randrange(0, 3), self.r.randrange(4, 7)
                self.lines.append(self.r.choice([f"double[] {f} = {self.r.choice(self.names)}[{lo}..{hi}];",
                                                 f"double[] {f}(i : {lo}..{hi}) = {self.real('i', 2)};"]))
                self.short.append(f)
                continue
            if kind == 2:
                self.lines.append(f"double[,] {f} = (i : 0..7, j : 0..7) => {self.real('i', 1)} * {self.read('j')} + {self.read('i')};")
                self.tables.append(f)
                continue
            if kind == 3 and self.r.randrange(2):
                self.lines.append(f"vec[] {f}(i : 0..7) = i == 0 ? new vec({self.read('i')}, 0) : new vec(0.5 * Math.Sin({f}(i - 1).y) + "
                                  f"{self.read('i')}, {f}(i - 1).x * 0.7 + {self.read('i')});")
                self.records.append(f)
                continue
            if self.r.randrange(4) == 0:
                self.lines.append(f"double[] {f}(i : 0..7) = i == 0 ? {self.read('i')} : "
                                  f"0.5 * Math.Sin({f}(i - 1)) * {self.read('i')} + {self.read('i')};")
            else:
                kind = self.r.choice(["var", "double[]"])
                self.lines.append(f"{kind} {f} = (i : 0..7) => {self.real('i', 3)};")
            self.names.append(f)
        self.lines.append(f"double[] r = (i : 0..7) => {self.real('i', 2)} + {self.names[-1]}(i);")
        if number % 4 == 1:
            return self.wide(number)
        if number % 8 in (2, 4):
            return self.small(number)
        body = "\n    ".join(self.lines)
        inner = f"double[] g{number}(double[] u, double[] v, vec[] w, vec p, int[] k) {{\n    {body}\n    return r;\n}}\n"
        if number % 3:
            return inner
        inner = inner.replace(f"g{number}(", f"inner{number}(", 1)
        return inner + self.host(number)

    def wide(self, number):
        """Folds, functions with several results, classes that hold arrays, methods with loops, functions that are given."""
        out = [self.step(self.r.randrange(2)) for _ in range(self.r.randrange(1, 5))]
        body = "\n    ".join(out)
        return (f"double[] g{number}(double[] u, double[] v, vec[] w, vec p, int[] k) {{\n    double s = u(3);\n    double[] a = v;\n    {body}"
                f"\n    double[] all(i : 0..7) = u(i) + a(i) * s + w(i).x * p.y;\n    return all;\n}}\n")

    def few(self, n, depth):
        """An array of n numbers, of such and of s."""
        r, arrays = self.r.randrange(14 if depth else 4), ["a", "b"] if n == 2 else ["c", "e"]
        if r < 3:
            return self.r.choice(arrays)
        if r == 3:
            return "new double[] { " + ", ".join(self.one(0) for _ in range(n)) + " }"
        if r < 7:
            return f"({self.few(n, depth - 1)} {self.r.choice('+-*')} {self.few(n, depth - 1)})"
        if r == 7:
            return f"({self.one(1)} * {self.few(n, depth - 1)})"
        if r == 8:
            return f"Math.{self.r.choice(['Sin', 'Tanh', 'Cos'])}({self.few(n, depth - 1)})"
        if r == 9:
            return f"(-{self.few(n, depth - 1)})"
        if r == 10:
            return f"({self.r.choice(arrays)} / (2 + {self.few(n, 0)} * 0.1))"
        if n == 3:
            return f"turned({self.few(3, depth - 1)}, {self.one(0)})"
        return self.r.choice([f"field({self.few(2, depth - 1)}, {self.one(0)})", f"first({self.few(3, depth - 1)})",
                              f"times(m, {self.few(2, depth - 1)})"])

    def one(self, depth):
        r = self.r.randrange(12 if depth else 6)
        if r < 2:
            return self.r.choice(["s", "p.x", "u[2]", f"{self.r.uniform(0.1, 0.9):.2f}"])
        if r < 6:
            return self.r.choice(["a[0]", "b[1]", "c[2]", "c(0)", "m[0, 1]", "m[1, 1]", "e[1]", "a(1)"])
        if r == 6:
            return f"sum({self.few(2, 1)} * {self.few(2, 1)})"
        if r == 7:
            return self.r.choice(["sum(c(i) * e(i))", "sum(i : 0..2, a(i) * m(i, 1))", "max(c)", "min(a(i) + b(i))", "prod(e)", "sum(m)"])
        if r == 8:
            return f"size({self.few(self.r.choice([2, 3]), 1)})"
        if r == 9:
            return f"Math.Sin({self.one(0)} + {self.one(0)})"
        return f"({self.one(0)} {self.r.choice('+-*')} {self.one(0)})"

    def smalls(self, depth, pad):
        out = []
        for _ in range(self.r.randrange(2, 5)):
            r, t, x = self.r.randrange(20 if depth else 15), self.name("t"), self.r.choice("abce")
            n = 2 if x in "ab" else 3
            if r < 3:
                out.append(f"{x} = Math.Sin({self.few(n, 2)});")
            elif r == 3:
                out.append(f"{x} {self.r.choice(['+=', '-=', '*='])} 0.3 * {self.few(n, 1)}; {x} = Math.Tanh({x});")
            elif r == 4:
                out.append(f"{x}[{self.r.randrange(n)}] = Math.Sin({self.one(1)});")
            elif r == 5:
                out.append(f"{x}[{self.r.randrange(n)}] {self.r.choice(['+=', '*='])} 0.4 * Math.Tanh({self.one(0)});")
            elif r == 6:
                out.append(self.r.choice(["(a, b) = (b, a);", "(c, e) = (Math.Sin(e), c);", f"(a, s) = two(a, {self.one(0)});",
                                          f"var ({t}, {t}q) = two(b, s); a = {t}; s = Math.Sin(s + {t}q);"]))
            elif r == 7:
                out.append(f"s = Math.Sin(s + {self.one(1)});")
            elif r == 8:
                out.append(f"for (int {t} = 0; {t} < {n}; {t}++) {x}[{t}] = Math.Sin({x}[{t}] + {self.one(0)});")
            elif r == 9:
                out.append(f"double[] {t}(i : 0..{n}) = {x}(i) * {self.one(0)} + {x}({n - 1} - i); {x} = Math.Tanh({t});")
            elif r == 10:
                out.append("double[,] " + f"{t}(i, j) = sum(m(i, l) * m(j, l)); m(i : 0..2, j : 0..2) = Math.Sin({t}(i, j)) * 0.7 + a(i) * b(j);")
            elif r == 11:
                out.append(f"{x} = {self.one(0)} > {self.r.uniform(-1, 1):.3f} ? {self.few(n, 2)} : {self.few(n, 1)};")
            elif r == 12 and self.r.randrange(3) == 0:
                out.append(f"{x}[k[{self.r.randrange(7)}] % {n}] *= 0.7;")  # it stays an array
            elif r == 13:
                out.append(f"m[{self.r.randrange(2)}, {self.r.randrange(2)}] = Math.Cos({self.one(1)});")
            elif r < 15:
                out.append(f"double[] {t} = {self.few(n, 2)}; {x} = 0.5 * {t};")
            elif r == 15:
                out.append(f"if ({self.one(0)} > {self.r.uniform(-1, 1):.3f}) {{{self.smalls(depth - 1, pad + '    ')}{pad}}}"
                           + self.r.choice(["", f" else {{{self.smalls(0, pad + '    ')}{pad}}}"]))
            elif r == 16:
                out.append(f"if ({self.one(0)} > {self.r.uniform(0.5, 1):.3f}) return (i : 0..7) => {self.one(0)} * u(i);")
            else:
                mark = self.r.choice(["", "", "[Checkpoint(1)] "])
                jump = self.r.choice(["", "", f"if (s > {self.r.uniform(0.5, 1):.3f}) {self.r.choice(['break', 'continue'])};"])
                out.append(f"{mark}for (int {t} = 0; {t} < {self.r.randrange(1, 6)}; {t}++) {{{self.smalls(depth - 1, pad + '    ')}{pad}    "
                           f"{jump}{self.smalls(0, pad + '    ') if jump else ''}{pad}}}")
        return "".join(pad + line for line in out)

    def small(self, number):
        """Arrays of a few elements, in loops and functions."""
        pad = "\n    "
        body = (f"{pad}double s = u(3);{pad}double[] a = {{ u[0], v[1] }}, b = new double[2];{pad}double[] c(i : 0..3) = v(i) * u(i + 1), e = {{ 1, s, 2 }};"
                f"{pad}double[,] m = {{ {{ 1, s }}, {{ v(2), 0.5 }} }};{pad}for (int t = 0; t < {self.r.randrange(1, 8)}; t++) {{")
        body += self.smalls(2, pad + "    ") + f"{pad}}}" + self.smalls(1, pad)
        return (f"double[] g{number}(double[] u, double[] v, vec[] w, vec p, int[] k) {{{body}"
                f"{pad}double[] all(i : 0..7) = u(i) + a[0] * b[1] * s + c(1) * w(i).x * p.y + m[0, 1] - e[2];{pad}return all;\n}}\n")

    def step(self, depth):
        r, x, y = self.r.randrange(14 if depth else 12), self.r.choice(["u", "a"]), self.r.choice(["u", "v", "a", "2 * v"])
        c, t, n = f"{self.r.uniform(0.1, 0.6):.2f}", self.name("t"), self.r.choice("uva")
        if r == 0:
            return f"s = Fold({y}, s, (double q, double e) => Math.Sin(q) + {c} * e * q);"
        if r == 1:
            return (f"double[,] {t} = (i : 0..7, j : 0..4) => {n}(i) * {x}(j); {x} = (i : 0..7) => "
                    f"{c} * Fold({t}(i, _), v(i), (double q, double e) => Math.Cos(q) * e + {c});")
        if r == 2:
            return f"s = {c} * both({y});"
        if r == 3:
            return f"({x}, s) = pair({y}, s, {n});"
        if r == 4:
            return f"var {t} = pair({x}, s, {n}); ({x}, s) = {t};"
        if r == 5:
            return f"var {t} = new State({x}, s); {t} = {t}.Turned({n}, {self.r.randrange(3)}); {x} = {t}.a; s = {t}.b;"
        if r == 6:
            return f"s = {c} * model.Loss({y}, s);"
        if r == 7:
            return f"double[] {t}(double[] y) => (i : 0..7) => {n}(i) * Math.Sin(y(6 - i)) - y(k(i)); {x} = steps({t}, {x}, {c});"
        if r == 8:
            return f"s = {c} * rough({x}, s) + rough((i : 0..7) => {n}(i) * s, {c});"
        if r == 9:
            return (f"double[,] {t}(i : 0..7, j : 0..7) = (i == j ? 4 : 0) + {c} * Math.Sin({n}(i) * {x}(j)); "
                    f"{x} = Linalg.Solve({t}, {y});")
        if r == 10:
            return f"{x} = model.Moved({x}, {n});"
        if r == 11:
            return f"s = Math.Sin(s) + {c} * fitted({x}, s);"
        inside = " ".join(self.step(0) for _ in range(self.r.randrange(1, 3)))
        return f"for (int {t} = 0; {t} < {self.r.randrange(1, 4)}; {t}++) {{ {inside} }}"

    def condition(self, t):
        return self.r.choice([f"{t} % 2 == {self.r.randrange(2)}", f"sum(i : 0..7, u(i)) > {self.r.uniform(-2, 2):.3f}",
                              f"s < {self.r.uniform(-1, 2):.3f}"])

    def place(self, loop):
        return self.r.choice([str(self.r.randrange(7)), f"{loop} % 7", f"({loop} + {self.r.randrange(1, 6)}) % 7", f"k[{loop} % 7]"])

    def scalar(self, loop, depth):
        """A number of the host's, which reads elements."""
        r = self.r.randrange(10) if depth else self.r.randrange(4)
        if r < 2:
            return f"{self.r.choice(['u', 'v', 'a'])}[{self.place(loop)}]"
        if r < 4:
            return self.r.choice(["s", "p.x", "p.y", f"w[{self.place(loop)}].x", f"w[{self.place(loop)}].Norm"])
        one = self.scalar(loop, depth - 1)
        if r < 7:
            return f"({one} {self.r.choice('+-*')} {self.scalar(loop, depth - 1)})"
        if r < 8:
            return f"Math.{self.r.choice(['Sin', 'Tanh', 'Atan'])}({one})"
        if r < 9:
            return f"({one} > {self.r.uniform(-1, 1):.3f} ? {self.scalar(loop, depth - 1)} : {self.scalar(loop, depth - 1)})"
        return f"{self.r.choice(['Math.Min', 'Math.Max', 'bent'])}({one}, {self.scalar(loop, depth - 1)})"

    def element(self, loop):
        """Elements, slices, fields and tuples that are assigned."""
        r, x = self.r.randrange(8), self.r.choice(["u", "a", "v"])
        if r < 2:
            return f"{x}[{self.place(loop)}] = Math.Sin({self.scalar(loop, 2)});"
        if r < 3:
            return f"{x}[{self.place(loop)}] {self.r.choice(['+=', '-=', '*='])} 0.5 * Math.Tanh({self.scalar(loop, 1)});"
        if r < 4:
            lo, n = self.r.randrange(0, 3), self.r.randrange(1, 5)
            to = self.r.randrange(0, 7 - n)
            return self.r.choice([f"{x}[{to}..{to + n}] = 0.5 * {self.r.choice(['u', 'a'])}[{lo}..{lo + n}] + s * {x}[{to}..{to + n}];",
                                  f"{x}[{to}..] = 0.3 * s;", f"{x}[..{to + 1}] *= 0.7;"])
        if r < 5:
            return f"w[{self.place(loop)}] = new vec(Math.Sin({self.scalar(loop, 1)}), {self.scalar(loop, 1)});"
        if r < 6:
            return f"(s, {x}[{self.place(loop)}]) = (Math.Sin({self.scalar(loop, 1)}), 0.5 * s);"
        if r < 7:
            return f"p = new vec(Math.Tanh({self.scalar(loop, 1)}), p.x);"
        return f"p = 0.5 * (p + w[{self.place(loop)}]).Turned();"

    def nest(self, depth):
        """Loops over numbers and elements alone, in each other."""
        t, out = self.name("t"), []
        for _ in range(self.r.randrange(1, 4)):
            r, q, c = self.r.randrange(8 if depth else 5), self.name("q"), f"{self.r.uniform(0.1, 0.6):.2f}"
            x, y = self.r.choice(["u", "a", "v"]), self.r.choice(["u", "a", "v"])
            if r < 1:
                out.append(f"double {q} = {self.scalar(t, 1)}; {x}[{self.place(t)}] = Math.Tanh({q}) * {c} + {q} * 0.1;")
            elif r < 2:
                out.append(f"s = Math.Sin(s * {c} + {self.scalar(t, 1)});")
            elif r < 3:
                out.append(f"{x}[{self.place(t)}] -= {c} * {x}[{self.place(t)}] * {y}[{self.place(t)}];")
            elif r < 4:
                out.append(f"s += {c} * {x}[{self.place(t)}] * {y}[{self.place(t)}];")
            elif r < 5:
                other = self.r.choice(["", f" else {{ {x}[{self.place(t)}] = 0.5 * s; s = Math.Cos(s); }}"])
                out.append(f"if ({self.r.choice([f'{t} % 2 == 0', f's > {c}', f'{y}[{self.place(t)}] > 0'])}) "
                           f"{{ {y}[{self.place(t)}] *= {c}; s = {c} * s * {x}[{self.place(t)}] + 0.2; }}{other}")
            elif r < 6:
                out.append(f"double {q} = {self.scalar(t, 1)}; {self.nest(depth - 1)} s = Math.Sin(s) + {c} * {q};")
            else:
                out.append(self.nest(depth - 1))
        return f"for (int {t} = 0; {t} < {self.r.randrange(0, 5)}; {t}++) {{ {' '.join(out)} }}"

    def statements(self, depth, loop, pad):
        """Assignments, calls, branches and loops over the variables u, v, a, w, p and s."""
        self.names, self.records, self.short, self.tables, out = ["u", "v", "a"], ["w"], [], [], []
        for _ in range(self.r.randrange(1, 4)):
            r, x = self.r.randrange(9 if depth else 5), self.r.choice(["u", "a"])
            if self.r.randrange(5) < 2:
                out.append(self.element(loop))
                continue
            if depth and self.r.randrange(8) == 0:
                e = self.name("e")
                seq, of = self.r.choice([("u", e), ("a", e), ("w", f"{e}.x"), ("2 * v", e)])
                jump = self.r.choice(["", f"if ({of} > {self.r.uniform(0, 1):.3f}) continue; ", f"if (s > {self.r.uniform(0, 2):.3f}) break; "])
                out.append(f"foreach (var {e} in {seq}) {{ {jump}s = Math.Sin(s + {of} * {self.scalar(loop, 1)}); {self.element(loop)} }}")
                continue
            if depth and self.r.randrange(4) == 0:
                out.append(self.nest(self.r.randrange(3)))
                continue
            if depth and self.r.randrange(10) == 0:
                body = [self.statements(0, loop, pad + "        ") for _ in range(3)]
                out.append(f"switch ({loop} % 4) {{{pad}    case 0: {body[0]}{pad}        break;{pad}    case 1: case 3: {body[1]}{pad}        break;"
                           f"{pad}    default: {body[2]}{pad}        break;{pad}}}")
                continue
            if depth < 2 and self.r.randrange(12) == 0:
                q = self.name("q")
                out.append(f"if ({self.condition(loop)}) {{ double[] {q}(i : 0..7) = {self.real('i', 2)} * s; return {q}; }}")
                continue
            if r < 2:
                y = self.name("y")
                out.append(f"double[] {y}(i : 0..7) = Math.Tanh({self.real('i', 2)}) + 0.1 * s; {x} = {y};")
            elif r < 3:
                out.append(f"s {self.r.choice(['+=', '-=', '='])} 0.3 * Math.Sin(sum(i : 0..7, {self.real('i', 1)}));")
            elif r < 4:
                out.append(f"{x} = inner{self.number}({self.r.choice(['u', 'a'])}, v, w, p, k) * 0.2;")
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
        return (f"double[] g{number}(double[] u, double[] v, vec[] w, vec p, int[] k) {{\n    double s = u(3);\n    double[] a = v;{body}"
                f"\n    double[] all(i : 0..7) = u(i) + a(i) * s + w(i).x * p.y;\n    return all;\n}}\n")


def check(n):
    return (second(n) if n % 8 in (1, 2) else "") + first(n)


def second(n):
    return f"""double sum{n}(double[] u, vec p) {{
    double[] r = g{n}(u, v, w, p, k);
    return sum(seed * r);
}}
double along{n}(double[] u, vec p) => sum(Grad(sum{n}(_, p))(u) * du);
void second{n}() {{
    var (au, ap) = Grad(along{n})(u, p);
    double back = sum(au * du) + ap.x * dp.x + ap.y * dp.y, up = along{n}(u + 1e-6 * du, p + 1e-6 * dp), down = along{n}(u - 1e-6 * du, p - 1e-6 * dp);
    var (f, forward) = Jvp(along{n})(u, p, du, dp);
    double near = (up - down) / 2e-6, size = 1 + Math.Abs(near);
    if (!(Math.Abs(forward - back) <= 1e-9 * size)) Console.WriteLine($"second {n}: {{forward}} forward, {{back}} back");
    if (!(Math.Abs(forward - near) <= 1e-5 * size)) Console.WriteLine($"second {n}: {{forward}} forward, {{near}} by differences");
}}
second{n}();
"""


def first(n):
    return f"""void check{n}() {{
    var (f, df) = Jvp(g{n}(_, _, _, _, k))(u, v, w, p, du, dv, dw, dp);
    var (au, av, aw, ap) = Vjp(g{n}(_, _, _, _, k))(u, v, w, p, seed);
    double forward = sum(seed(i) * df(i)), back = sum(au(i) * du(i)) + sum(av(i) * dv(i)) + dot(aw, dw) + ap.x * dp.x + ap.y * dp.y;
    double[] up = g{n}(u + 1e-6 * du, v + 1e-6 * dv, w + 1e-6 * dw, p + 1e-6 * dp, k);
    double[] down = g{n}(u - 1e-6 * du, v - 1e-6 * dv, w - 1e-6 * dw, p - 1e-6 * dp, k);
    double size = 1 + sum(Math.Abs(seed(i) * df(i))), near = sum(seed(i) * (up(i) - down(i))) / 2e-6;
    if (!(Math.Abs(forward - back) <= 1e-11 * size)) Console.WriteLine($"{n}: {{forward}} forward, {{back}} back");
    if (!(Math.Abs(forward - near) <= 1e-6 * size)) Console.WriteLine($"{n}: {{forward}} forward, {{near}} by differences");
}}
check{n}();
"""


numbers = range(int(sys.argv[1]), int(sys.argv[2]))
print("""final class vec(double x, double y) {
    static vec operator+(vec a, vec b) => new vec(a.x + b.x, a.y + b.y);
    static vec operator-(vec a, vec b) => new vec(a.x - b.x, a.y - b.y);
    static vec operator*(double s, vec a) => new vec(s * a.x, s * a.y);
    double Norm => Math.Sqrt(0.1 + x * x + y * y);
    vec Turned() => new vec(-y, x);
}
double bent(double a, double b) {
    if (a > 0.5) return a * b;
    double c = a - b;
    return c < 0 ? Math.Sin(c) : c * a;
}
double both(double a, double b) => Math.Sin(a) * b + 0.3 * a;
(double[], double) pair(double[] a, double s, double[] u) {
    for (int t = 0; t < 2; t++) { double[] b(i : 0..7) = 0.5 * a(i) * s + Math.Sin(u(6 - i)); a = b; s = 0.3 * sum(a) + s * s * 0.1; }
    return (a, s);
}
final class State(double[] a, double b) {
    public State Turned(double[] u, int n) {
        var s = new State(a, b);
        for (int t = 0; t < n; t++) { double[] c(i : 0..7) = 0.5 * s.a(6 - i) + u(i) * s.b; s = new State(c, 0.2 * sum(c) * s.b); }
        return s;
    }
}
class Model {
    double[] seen;
    double rate;
    public Model(double[] seen, double rate) { this.seen = seen; this.rate = rate; }
    public double Loss(double[] w, double s) {
        for (int t = 0; t < 3; t++) { double[] e(i : 0..7) = seen(i) - w(i) * rate; s += 0.1 * sum(e * e) * w[t]; w = w - 0.1 * e; }
        return s;
    }
    public double[] Moved(double[] w, double[] u) {
        for (int t = 0; t < 2; t++) w = w - 0.1 * Grad((double[] q) => Loss(q, u[t]))(w);
        return w;
    }
}
double fit(double[] w, double s) {
    for (int t = 0; t < 2; t++) { s = Math.Sin(s + w[t]); w = s * w; }
    return sum(w * w);
}
double fitted(double[] w, double s) => sum(Grad(fit(_, s))(w) * w);
double[] steps(double[](double[]) f, double[] y, double h) {
    double[] a = f(y), b = f(y + 0.5 * h * a);
    return y + h * b;
}
double rough(double(int) f, double s) {
    for (int t = 0; t < 3; t++) s = Math.Sin(s) + 0.3 * f(t) * sum(i : 0..7, f(i) * f(6 - i));
    return s;
}
double[] field(double[] y, double s) => new double[] { s * y[1], 0.3 * y[0] * y[1] - 0.5 * s };
double[] first(double[] y) { double[] r = { y[0], y[2] }; r[1] += Math.Sin(y[1]); return r; }
double[] times(double[,] m, double[] y) { double[] r(i) = sum(m(i, j) * y(j)); return r; }
double[] turned(double[] y, double s) {
    if (s > 0.4) return y;
    for (int t = 0; t < 2; t++) y = new double[] { Math.Sin(y[1]), y[2] * s, y[0] };
    return y;
}
double size(double[] y) { double s = 0.1; foreach (double e in y) s += e * e; return Math.Sqrt(s); }
(double[], double) two(double[] y, double s) {
    double[] z = { y[1], Math.Sin(y[0] * s) };
    return (z, 0.5 * s + z[0]);
}
double dot(vec[] a, vec[] b) => sum(a(i).x * b(i).x + a(i).y * b(i).y);
int[] k = {3, 0, 6, 3, 2, 2, 5};
double[] u = (i : 0..7) => Math.Sin(3.1 * i + 1), v = (i : 0..7) => Math.Cos(1.7 * i + 0.3);
double[] du = (i : 0..7) => Math.Sin(2.3 * i), dv = (i : 0..7) => Math.Cos(0.9 * i + 2);
vec[] w = (i : 0..7) => new vec(Math.Sin(1.3 * i + 0.4), Math.Cos(2.1 * i + 1)), dw = (i : 0..7) => new vec(Math.Cos(0.7 * i), Math.Sin(1.1 * i));
vec p = new vec(0.3, -0.6), dp = new vec(0.5, 0.8);
double[] seed = (i : 0..7) => Math.Sin(5.3 * i + 0.5);
var model = new Model(v, 0.4);""")
for n in numbers:
    print(Function(n).text(n) + check(n))
print(f'Console.WriteLine("{len(numbers)} functions");')
