"""Random loops over arrays, as a program: turns.py SEED LOOPS. Each loop has one to three arrays of integers, each
of which is made anew in a turn from the arrays at neighbouring places: inside of guards, round the ends, held between them,
with a border that may have a name, or by ranges (f ?? g); by slices; and element by element, more than once. Elements of some are set. Numbers that change from turn to turn, tables and arrays of the step alone take part.
Some call a function more than once a turn (Runge and Kutta), or for two arrays, go on with what was two turns before (a wave, two arrays that change places, or are given to a function each in its turn), or with a sum that each turn asks for.
Some are of arrays of records. What goes from turn to turn is in variables, in fields of an object, or in a tuple that a function gives.
What comes of all of them is printed; integers are the same whatever is composed with what."""
import random
import sys


class Loop:
    def __init__(self, number, draw):
        self.number, self.draw = number, draw
        self.rank = draw.choice([1, 2, 2, 2, 3])
        self.sizes = [draw.randint(4, {1: 300, 2: 40, 3: 14}[self.rank]) for _ in range(self.rank)]
        self.low = [draw.choice([0, 0, -3, 5]) for _ in range(self.rank)]
        self.names = ["a", "b", "c"][: draw.randint(1, 3)]
        self.vars = ["i", "j", "k"][: self.rank]
        self.steps = draw.randint(3, 20)
        self.lines = []

    def domain(self):
        return ", ".join(f"{v} : {lo}..{lo + n}" for v, lo, n in zip(self.vars, self.low, self.sizes))

    def at(self, shift):
        return ", ".join(v if s == 0 else f"{v} {'+' if s > 0 else '-'} {abs(s)}" for v, s in zip(self.vars, shift))

    def shifts(self, reach):
        return [[self.draw.choice([0, 0] + list(range(-reach, reach + 1))) for _ in self.vars]
                for _ in range(self.draw.randint(1, 4))]

    def number_of_turn(self):
        return self.draw.choice(["3", "t", "pulse", "fixed", "t * 2 + 1", "stops"])

    def guard(self, shifts):
        conds = []
        for d, v in enumerate(self.vars):
            lo = max([-s[d] for s in shifts] + [0])
            hi = max([s[d] for s in shifts] + [0])
            if lo:
                conds.append(f"{v} >= {self.low[d] + lo}")
            if hi:
                conds.append(f"{v} < {self.low[d] + self.sizes[d] - hi}")
        return " && ".join(conds) or "true"

    def sum_of(self, reads):
        terms = [f"{self.draw.choice(['', '2 * ', '3 * '])}{r}" for r in reads]
        return f"(({' + '.join(terms)}) & 1023)"

    def statement(self, target, sources):
        draw, shifts = self.draw, self.shifts(draw_reach(self.draw))
        of = [draw.choice(sources) for _ in shifts]
        kind = draw.choice(["guard", "guard", "round", "round", "border", "union", "table", "held", "named", "named", "moving", "moving"])
        if kind == "moving":
            return self.moving(target, sources)
        more = f" + {self.number_of_turn()}" if draw.random() < 0.4 else ""
        if kind == "table" and self.rank == 2:
            read = f"Periodic({of[0]})(i - rows(q), j - columns(q))"
            return f"let({self.domain()}) ((sum(q : 0..3, {read}) + {target}({self.at([0] * self.rank)}){more}) & 1023)"
        if kind in ("round", "held"):
            reads = [f"{'Periodic' if kind == 'round' else 'Clamp'}({s})({self.at(x)})" for s, x in zip(of, shifts)]
            return f"let({self.domain()}) {self.sum_of(reads)}{more}"
        if kind == "border":
            reads = [f"Constant({s}, {draw.randint(0, 9)})({self.at(x)})" for s, x in zip(of, shifts)]
            return f"let({self.domain()}) {self.sum_of(reads)}{more}"
        if kind == "named":
            borders = [draw.choice(["Clamp({})", "Clamp({})", "Periodic({})", "Mirror({})", "Constant({}, 5)"]) for _ in of]
            names = [f"border{len(self.lines)}_{k}" for k in range(len(of))]
            self.lines += [f"var {n} = {b.format(s)};" for n, b, s in zip(names, borders, of)]
            reads = [f"{n}({self.at(x)})" for n, x in zip(names, shifts)] + [f"{target}({self.at([0] * self.rank)})"]
            return f"({', '.join(self.vars)}) => {self.sum_of(reads)}{more}"
        reads = [f"{s}({self.at(x)})" for s, x in zip(of, shifts)]
        if kind == "union" and len(set(of)) == 1:
            name = f"inner{len(self.lines)}"
            self.lines.append(f"var {name}({', '.join(self.vars)}) = {self.sum_of(reads)}{more};")
            return f"{name} ?? {of[0]}"
        rest = draw.choice([f"{target}({self.at([0] * self.rank)})", self.number_of_turn(), "7"])
        return f"let({self.domain()}) {self.guard(shifts)} ? {self.sum_of(reads)}{more} : {rest}"

    def moving(self, target, sources):
        """Of one row, column or element that all others read, another one in each turn; on one side of it perhaps."""
        draw, home = self.draw, self.at([0] * self.rank)

        def place(d):
            return f"{self.low[d]} + {draw.choice(['t', '(t * 3 + 1)', '(20 - t)', 'pulse', 'fixed * 0'])} % {self.sizes[d]}"

        reads = [f"{target}({home})"]
        for _ in range(draw.randint(1, 3)):
            at = [place(d) if draw.random() < 0.5 else v for d, v in enumerate(self.vars)]
            reads.append(f"{draw.choice(sources)}({', '.join(at)})")
        value = draw.choice([self.sum_of(reads), f"Math.Min({reads[0]}, {self.sum_of(reads[1:])})"])
        d = draw.randrange(self.rank)
        side = f"{self.vars[d]} {draw.choice(['>', '<=', '==', '!=', '>='])} {place(d)}"
        return f"let({self.domain()}) {draw.choice([value, value, f'{side} ? {value} : {target}({home})'])}"

    def pointwise(self):
        draw = self.draw
        for _ in range(draw.choice([0, 0, 1, 3])):
            x, y = draw.choice(self.names), draw.choice(self.names)
            self.lines.append(draw.choice([f"{x} = {x} + {draw.randint(1, 3)} * {y} & 1023;", f"{x} = {y} ^ {self.number_of_turn()};",
                                           f"{x} = Math.Min(Math.Max({x}, 5), 900 - {y} % 64);"]))

    def elements(self):
        """Elements that are set, or whole rows: at one place, at one that moves, or outside in some turn."""
        draw = self.draw
        for _ in range(draw.choice([1, 1, 2, 4])):
            at = []
            for low, n in zip(self.low, self.sizes):
                place = low + draw.randrange(n)
                end = draw.randint(place + 1, low + n)
                at.append(draw.choice([f"{place}"] * 6 + ["^1", f"{low} + t % {n}", "fixed", "..", f"{place}..", f"{place}..{end}", f"..{end}"]))
            op = "=" if any(".." in x for x in at) else draw.choice(["=", "=", "+=", "-=", "*="])
            self.lines.append(f"{draw.choice(self.names)}[{', '.join(at)}] {op} {draw.choice(['7', 't', 'pulse', 'fixed', 'stops * 3 + t'])};")

    def slice(self, name, sources):
        """Part of an array, of neighbours inside of it."""
        draw, shifts = self.draw, self.shifts(draw_reach(self.draw))
        low = [max([-x[d] for x in shifts] + [0]) + draw.choice([0, 0, 1]) for d in range(self.rank)]
        high = [max([x[d] for x in shifts] + [0]) for d in range(self.rank)]
        if any(n - lo - hi < 1 for n, lo, hi in zip(self.sizes, low, high)):
            return f"{name} = {self.statement(name, sources)};"
        first = [start + lo for start, lo in zip(self.low, low)]
        end = [start + n - hi for start, n, hi in zip(self.low, self.sizes, high)]
        part = ", ".join(f"{a}..{b}" for a, b in zip(first, end))
        based = draw.random() < 0.5
        ranges = [f"{v} : 0..{b - a}" if based else f"{v} : {a}..{b}" for v, a, b in zip(self.vars, first, end)]
        reads = [f"{draw.choice(sources)}({self.at([y + (a if based else 0) for y, a in zip(x, first)])})" for x in shifts]
        return f"{name}[{part}] = let({', '.join(ranges)}) {self.sum_of(reads)};"

    def older(self):
        """What the end of a turn keeps, and the name of a variable that has it."""
        draw, x = self.draw, self.draw.choice(self.names)
        if len(self.names) > 1 and draw.random() < 0.5:
            y = draw.choice([n for n in self.names if n != x])
            return None, [f"({x}, {y}) = ({y}, {x});"]
        return x, []

    def numbers(self):
        return ["int pulse = t * 13 % 7;", f"int stops = t < {self.draw.randint(0, self.steps)} ? t * 5 : 2;"]

    def at_home(self, home, type_, place, more, old):
        """The loop, whose arrays are fields of an object, or go into a function and come back as a tuple."""
        number, names = self.number, self.names + more
        of = {n: old if n == "old" else n for n in names}
        tables = "int[] rows = {1, 0, -1}, columns = {0, 2, 1};"
        made = [f"    {type_} {n}({self.domain()}) = noise({place} + {self.names.index(of[n]) * 1000});" for n in names]
        given, list_ = ", ".join(f"{type_} {n}" for n in names), ", ".join(names)
        body = [f"        {line}" for line in self.lines]
        numbers, loop = "int t, int pulse, int stops, int fixed", [f"    for (int t = 0; t < {self.steps}; t++) {{"] + [f"        {line}" for line in self.numbers()]
        if home == "object":
            sets = " ".join(f"this.{n} = {n};" for n in names)
            text = [f"class Loop{number} {{", f"    {' '.join(f'public {type_} {n};' for n in names)}", f"    {tables}", f"    public Loop{number}({given}) {{ {sets} }}", f"    public void Step({numbers}) {{"] + body + ["    }", "}"]
            text += [f"void loop{number}(int fixed) {{"] + made + [f"    var all = new Loop{number}({list_});"] + loop + ["        all.Step(t, pulse, stops, fixed);", "    }"]
            of = {n: f"all.{n}" for n in names}
        else:
            single = len(names) == 1
            result = type_ if single else f"({', '.join(type_ for _ in names)})"
            text = [f"{result} step{number}({given}, {numbers}) {{", f"        {tables}"] + body + [f"        return {list_ if single else f'({list_})'};", "}"]
            text += [f"void loop{number}(int fixed) {{"] + made + loop + [f"        {list_ if single else f'({list_})'} = step{number}({list_}, t, pulse, stops, fixed);", "    }"]
            of = {n: n for n in names}
        vars_ = ", ".join(self.vars)
        return text + [f"    show(\"loop{number} {n}\", sum(({vars_}) : {of[n]}, {of[n]}({vars_}) * (({place}) % 31 + 40)));" for n in self.names] + ["}"]

    def records(self):
        """The loop over arrays of records, some with a function for a record, some with an array beside."""
        draw, number = self.draw, self.number
        types = [draw.choice(["int", "int", "long", "short", "byte"]) for _ in range(draw.randint(1, 4))]
        fields = [f"f{k}" for k in range(len(types))]
        cell, array = f"Cell{number}", f"Cell{number}[{',' * (self.rank - 1)}]"
        place = " + ".join(f"{v} * {m}" for v, m in zip(self.vars, [131, 17, 5]))
        home, names = self.at([0] * self.rank), self.names[:2]
        plain = draw.random() < 0.4

        def field(k, text):
            return f"({types[k]}) ({text} & {127 if types[k] == 'byte' else 1023})"

        def read(name, shift, border):
            of = f"{border}({name})" if border in ("Periodic", "Clamp") else name
            return f"{draw.choice(['', '2 * '])}(int) {of}({self.at(shift)}).{draw.choice(fields)}"

        def value(name):
            shifts = self.shifts(draw_reach(draw))
            border = draw.choice(["Periodic", "Clamp", "guard"])
            of = [draw.choice(names) for _ in shifts]
            texts = []
            for k in range(len(types)):
                reads = [read(x, y, border) for x, y in zip(of, shifts)] + [f"(int) {name}({home}).{fields[k]}"]
                texts.append(field(k, f"({' + '.join(reads)}{' + t' if draw.random() < 0.3 else ''}{f' + plain({home})' if plain else ''})"))
            made = f"new {cell}({', '.join(texts)})"
            return f"let({self.domain()}) {f'{self.guard(shifts)} ? {made} : {name}({home})' if border == 'guard' else made}"

        text = [f"final class {cell}({', '.join(f'{t} {f}' for t, f in zip(types, fields))});", f"void loop{number}(int fixed) {{"]
        for at, name in enumerate(names):
            made = ", ".join(field(k, f"noise({place} + {at * 1000 + k * 77})") for k in range(len(types)))
            text.append(f"    {array} {name}({self.domain()}) = new {cell}({made});")
        text += [f"    int[{',' * (self.rank - 1)}] plain({self.domain()}) = noise({place});"] * plain
        text.append(f"    for (int t = 0; t < {self.steps}; t++) {{")
        text += [f"        {name} = {value(name)};" for name in draw.sample(names, len(names))]
        if plain:
            text.append(f"        plain = let({self.domain()}) ((int) {names[0]}({home}).f0 + 3 * Periodic(plain)({self.at(self.shifts(1)[0])})) & 255;")
        text.append("    }")
        vars_ = ", ".join(self.vars)
        text += [f"    show(\"loop{number} {n}.{f}\", sum(({vars_}) : {n}, (int) {n}({vars_}).{f} * (({place}) % 31 + 40)));" for n in names for f in fields]
        return "\n".join(text + ["}"])

    def text(self):
        if self.draw.random() < 0.2:
            return self.records()
        draw, commas = self.draw, "," * (self.rank - 1)
        type_ = f"int[{commas}]"
        place = " + ".join(f"{v} * {m}" for v, m in zip(self.vars, [131, 17, 5]))
        head = [f"void loop{self.number}(int fixed) {{",
                "    int[] rows = {1, 0, -1}, columns = {0, 2, 1};"]
        for at, name in enumerate(self.names):
            head.append(f"    {type_} {name}0({self.domain()}) = noise({place} + {at * 1000});")
            head.append(f"    {type_} {name} = {name}0;")
        locals_ = []
        for turn in range(draw.randint(0, 2)):
            name = f"made{turn}"
            value = self.statement(self.names[0], self.names + locals_)
            self.lines.append(f"{type_} {name} = {value};")
            locals_.append(name)
        order, old, ends = self.names[:], None, []
        if draw.random() < 0.4:
            old, ends = self.older()
        if old:
            head.append(f"    {type_} old = {old}0;")
            locals_.append("old")
        asked = draw.random() < 0.2
        draw.shuffle(order)
        for name in order:
            self.pointwise()
            if old == name:
                self.lines.append(f"{type_} next = {self.statement(name, self.names + locals_)};")
                self.lines += [f"old = {name};", f"{name} = next;"]
            elif draw.random() < 0.25:
                self.lines.append(self.slice(name, self.names + locals_))
            else:
                self.lines.append(f"{name} = {self.statement(name, self.names + locals_)};")
        if draw.random() < 0.3:
            self.elements()
        if asked:
            x = order[-1]
            self.lines.append(f"total = total * 3 + sum({x}) & 65535;")
        self.pointwise()
        self.lines += ends
        function = []
        if draw.random() < 0.25:
            x = draw.choice(self.names)
            border = draw.choice(["Clamp", "Periodic"])
            reads = " + ".join(f"p({self.at(y)})" for y in self.shifts(1))
            function = [f"{type_} stage{self.number}({type_} x) {{", f"    var p = {border}(x);", f"    return let({self.domain()}) ({reads} + 2 * x({self.at([0] * self.rank)})) & 255;", "}"]
            self.lines += [f"{type_} k1 = stage{self.number}({x});", f"{type_} k2 = stage{self.number}({x} + 2 * k1 & 1023);"]
            self.lines += [f"{type_} k3 = stage{self.number}({x} + k2 & 1023);"] * (draw.random() < 0.5)
            self.lines.append(f"{x} = {x} + k1 + {'3 * k3 + ' if any('k3' in l for l in self.lines) else ''}k2 & 1023;")
        elif len(self.names) > 1 and draw.random() < 0.25:
            x, y = draw.sample(self.names, 2)
            reads = " + ".join(f"p({self.at(z)})" for z in self.shifts(1))
            function = [f"{type_} stage{self.number}({type_} x) {{", f"    var p = {draw.choice(['Clamp', 'Periodic'])}(x);", f"    return let({self.domain()}) ({reads} + 2 * x({self.at([0] * self.rank)})) & 255;", "}"]
            self.lines += [f"{type_} k1 = stage{self.number}({x});", f"{type_} k2 = stage{self.number}({y});"]
            self.lines += [f"{x} = {x} + 2 * k1 + {y} & 1023;", f"{y} = {y} ^ k2;"]
        if len(self.names) > 1 and draw.random() < 0.15:
            x, y = draw.sample(self.names, 2)
            kept, self.lines = self.lines, []
            value = self.statement("to", ["given", "given", "to"])
            numbers = ", int t, int pulse, int stops, int fixed"
            tables = ["    int[] rows = {1, 0, -1}, columns = {0, 2, 1};"]
            function += [f"void sweep{self.number}({type_} given, ref {type_} to{numbers}) {{"] + tables + [f"    {line}" for line in self.lines] + [f"    to = {value};", "}"]
            self.lines = kept + [f"sweep{self.number}({u}, ref {v}, t, pulse, stops, fixed);" for u, v in ((x, y), (y, x))]
        home = draw.choice(["variables", "variables", "object", "tuple"])
        if home != "variables" and not asked:
            return "\n".join(function + self.at_home(home, type_, place, ["old"] * (old is not None), old))
        look = draw.random() < 0.15
        body = [f"        {line}" for line in self.lines]
        seen = f"        if (t == {draw.randint(0, self.steps)}) show(\"look\", {self.names[0]}[{', '.join(map(str, self.low))}]);"
        if asked:
            head.append("    int total = 0;")
        loop = [f"    for (int t = 0; t < {self.steps}; t++) {{"] + [f"        {line}" for line in self.numbers()]
        tail = ["    }"] + [f"    show(\"loop{self.number} {n}\", sum(({', '.join(self.vars)}) : {n}, {n}({', '.join(self.vars)}) * (({place}) % 31 + 40)));"
                            for n in self.names[: draw.randint(1, len(self.names))]]
        tail += [f"    show(\"loop{self.number} total\", total);"] * asked + ["}"]
        return "\n".join(function + head + loop + body + ([seen] if look else []) + tail)


def draw_reach(draw):
    return draw.choice([1, 1, 1, 2, 3])


def main():
    seed, loops = int(sys.argv[1]), int(sys.argv[2])
    draw = random.Random(seed)
    print("int noise(int i) => (int) (((uint) i * 2654435761u) >> 22);")
    print('void show(string what, int value) { Console.WriteLine($"{what} {value}"); }')
    for number in range(loops):
        print(Loop(number, draw).text())
    for number in range(loops):
        print(f"try {{ loop{number}({number} % 5); }} catch (Exception e) {{ Console.WriteLine($\"loop{number} {{e.Message}}\"); }}")


main()
