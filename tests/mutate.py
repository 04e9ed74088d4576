#!/usr/bin/env python3
"""Do the tests notice a fault? Draws mutations of single lines of gputrain.h's implementation (an operator, a constant, a condition), and runs
the test programs against each until one fails. What this build does not compile is left out: comments, other systems, other CPUs.
All mutations are compiled into one header, each as (gtr__mutant == k ? changed : original), so that a test program is built once.
    python3 tests/mutate.py [--count 200] [--seed 1] [--only k,k,...] [--jobs 2] [--dir build/mutate]
Ends with a table; a survivor whose code is the original's, bit for bit, is equal and does not count."""
import argparse, os, random, re, resource, shutil, signal, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FLAGS = ["-O1", "-march=native", "-w"]
LIBS = ["-lm", "-pthread"]
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "+", "/": "*",
         "true": "false", "false": "true", "|": "&", "&": "|", "<<": ">>", ">>": "<<", "%": "/"}
TOKEN = re.compile(r"<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%|&^]=|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d[\w.]*(?:(?<=[eE])[-+]\d+\w*)?|\S")
HOOK = """
#include <stdlib.h>
static int gtr__mutant = -1;
__attribute__((constructor)) static void gtr__mutant_read(void) { const char *s = getenv("GTR_MUTANT"); gtr__mutant = s ? atoi(s) : -1; }
"""


def masked(text):
    """The text with comments, strings and characters blanked."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def active_lines(folder):
    """Lines of the header that this build compiles: those the preprocessor lets through (so no macro's body)."""
    source = os.path.join(folder, "all.c")
    with open(source, "w") as f:
        f.write('#define GPUTRAIN_IMPLEMENTATION\n#include "gputrain.h"\n')
    out = subprocess.run(["gcc", "-E", "-march=native", "-I", HERE, source], capture_output=True, text=True, check=True).stdout
    lines, at, ours = set(), 0, False
    for line in out.split("\n"):
        m = re.match(r'# (\d+) "(.*?)"', line)
        if m:
            at, ours = int(m.group(1)), m.group(2).endswith("gputrain.h")
            continue
        if ours and line.strip():
            lines.add(at)
        at += 1
    return lines


def span(tokens, i):
    """The expression around token i, as token numbers: within its parentheses, between commas, an assignment or return, and a semicolon."""
    stop = {",", ";", "{", "}", "=", "return", "?", ":", "+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "^=", "%=", "case"}

    def edge(numbers, opening, closing):    # the first token in this direction that is not the expression's
        depth = 0
        for k in numbers:
            t = tokens[k].group(0)
            if t in opening:
                depth += 1
            elif t in closing:
                if depth == 0:
                    return k
                depth -= 1
            elif depth == 0 and t in stop:
                return k
        return None
    a, b = edge(range(i - 1, -1, -1), ")]", "(["), edge(range(i + 1, len(tokens)), "([", ")]")
    return None if a is None or b is None else (a + 1, b)


def changes(tokens, i, original):
    """What may stand for token i: (its end, text)."""
    t = tokens[i].group(0)
    before = tokens[i - 1].group(0) if i else ""
    operand = re.match(r"[\w)\]]", before) and before != "return"
    if t in SWAPS and (t in ("true", "false") or operand):
        if t == "*" and re.search(r"(\b(const|char|void|gtr_\w+|gtr__\w+|struct \w+|int|u?int\w+_t|float|double|size_t)\s*)$", original[:tokens[i].start()]):
            return None
        return SWAPS[t]
    if re.match(r"\d", t):
        m = re.match(r"(0[xX][0-9a-fA-F]+|\d+(?!\w*\.))([uUlL]*)$", t)
        if m:
            return {"0": "1", "1": "2"}.get(m.group(1), "(%s - 1)" % m.group(1)) + m.group(2)
        m = re.match(r"(\d[\d.eE+-]*)(f?)$", t)
        return "(%s * 1.5%s)" % (t, m.group(2)) if m and "." in t else None
    return None


def candidates(lines, clear, active, first, last):
    for n in range(first, last):
        if n + 1 not in active or clear[n].lstrip().startswith("#") or not clear[n].strip() or re.match(r"\s*(case|static const|typedef|struct)\b", clear[n]):
            continue
        if n and lines[n - 1].rstrip().endswith("\\") or lines[n].rstrip().endswith("\\"):
            continue
        tokens = list(TOKEN.finditer(clear[n]))
        for i, token in enumerate(tokens):
            if token.group(0) in ("if", "while") and i + 1 < len(tokens) and tokens[i + 1].group(0) == "(":
                s = span(tokens, i + 2) if i + 2 < len(tokens) else None
                if s and tokens[s[1]].group(0) == ")":
                    a, b = tokens[s[0]].start(), tokens[s[1] - 1].end()
                    yield n, a, b, lines[n][a:b], "!(%s)" % lines[n][a:b]
                continue
            new = changes(tokens, i, clear[n])
            s = span(tokens, i) if new else None
            if s:
                a, b = tokens[s[0]].start(), tokens[s[1] - 1].end()
                yield n, a, b, lines[n][a:b], lines[n][a:token.start()] + new + lines[n][token.end():b]


def write_header(path, lines, first, chosen):
    out = list(lines)
    for k, (n, a, b, old, new) in chosen.items():       # one a line
        out[n] = lines[n][:a] + "(gtr__mutant == %d ? (%s) : (%s))" % (k, new, old) + lines[n][b:]
    out.insert(first, HOOK)
    with open(path, "w") as f:
        f.write("\n".join(out))


def compile_all(folder, programs, lines, first, chosen):
    """Builds, leaving out what does not compile."""
    header = os.path.join(folder, "gputrain.h")
    while True:
        write_header(header, lines, first, chosen)
        r = subprocess.run(["gcc"] + FLAGS + ["-c", "-I", folder, os.path.join(folder, "all.c"), "-o",
                                              os.path.join(folder, "all.o")], capture_output=True, text=True)
        at = re.findall(r"gputrain\.h:(\d+):\d+(?:: error|\W*$)", r.stderr, re.M)
        bad = {int(m) - 1 - HOOK.count("\n") - 1 for m in at}
        dropped = [k for k, c in chosen.items() if c[0] in bad]
        if r.returncode == 0:
            break
        if not dropped:
            sys.exit("does not compile:\n" + r.stderr[:2000])
        for k in dropped:
            del chosen[k]
    for p in programs:
        subprocess.run(["gcc"] + FLAGS + ["-I", folder, os.path.join(folder, "tests", "programs", p + ".c"), "-o", os.path.join(folder, p)] + LIBS, check=True)


def run(folder, program, mutant, limit, small=True):
    """True if it passes within limit seconds."""
    env = dict(os.environ, GTR_MUTANT=str(mutant), GTR_TEST_DEVICE="cpu", TMPDIR=os.path.join(folder, "tmp"))
    if small:
        env["GTR_TEST_SMALL"] = "1"

    def bounds():
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    p = subprocess.Popen([os.path.join(folder, program)], cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=bounds)
    try:
        return p.wait(limit) == 0
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        return False


def object_code(folder, lines, change):
    out = list(lines)
    if change:
        n, a, b, old, new = change
        out[n] = lines[n][:a] + "(" + new + ")" + lines[n][b:]
    one = os.path.join(folder, "one")
    os.makedirs(one, exist_ok=True)
    with open(os.path.join(one, "gputrain.h"), "w") as f:
        f.write("\n".join(out))
    shutil.copy(os.path.join(folder, "all.c"), one)
    subprocess.run(["gcc", "-O2", "-w", "-march=native", "-c", "-I", one, os.path.join(one, "all.c"), "-o", os.path.join(one, "all.o")], check=True)
    return subprocess.run(["objdump", "-d", "-s", "-j", ".text", "-j", ".rodata", os.path.join(one, "all.o")], capture_output=True, check=True).stdout


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--count", type=int, default=200)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--dir", default=os.path.join(HERE, "build", "mutate"))
    a = p.parse_args()
    for inner in ("build", "tmp"):
        os.makedirs(os.path.join(a.dir, inner), exist_ok=True)
    shutil.rmtree(os.path.join(a.dir, "tests"), ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "tests"), os.path.join(a.dir, "tests"))
    text = open(os.path.join(HERE, "gputrain.h")).read()
    lines, clear = text.split("\n"), masked(text).split("\n")
    first = next(i for i, s in enumerate(lines) if s.startswith("#ifdef GPUTRAIN_IMPLEMENTATION")) + 1
    first = next(i for i in range(first, len(lines)) if lines[i].startswith("#define GTR__MAX_ARGS"))
    every = list(candidates(lines, clear, active_lines(a.dir), first, len(lines)))
    rng = random.Random(a.seed)
    by_line = {}
    for c in every:
        by_line.setdefault(c[0], []).append(c)
    order = sorted(by_line)
    rng.shuffle(order)
    chosen = {k: rng.choice(by_line[n]) for k, n in enumerate(order[:a.count * 5 // 4])}    # some do not compile
    programs = sorted(f[:-2] for f in os.listdir(os.path.join(HERE, "tests", "programs")) if re.match(r"test_.*\.c$", f))
    compile_all(a.dir, programs, lines, first, chosen)
    for k in sorted(chosen)[a.count:]:
        del chosen[k]
    limit, weight = {}, {}
    for q in programs:
        t = time.time()
        if not run(a.dir, q, -1, 600):
            sys.exit(q + " fails without a mutation")
        weight[q] = time.time() - t
        limit[q] = 10 + 4 * weight[q]
    hits, only = dict.fromkeys(programs, 1), {int(k) for k in a.only.split(",") if k}

    def small(k):
        by = None
        for q in sorted(programs, key=lambda q: weight[q] / hits[q]):
            if not run(a.dir, q, k, limit[q]):
                by, hits[q] = q, hits[q] + 1
                break
        c = chosen[k]
        line = lines[c[0]]
        print("%4d %s line %d: %s [[ %s -> %s ]] %s" % (k, by or "SURVIVED", c[0] + 1, line[:c[1]].strip()[-60:], c[3], c[4],
                                                        line[c[2]:][:40]), flush=True)
        return by

    def whole(k):                       # takes minutes
        by = next((q for q in programs if not run(a.dir, q, k, 3 * limit[q] + 100, small=False)), None)
        print("%4d %s" % (k, by + ", all of it" if by else "SURVIVED all of it"), flush=True)
        return by
    tried = [k for k in sorted(chosen) if not only or k in only]
    with ThreadPoolExecutor(a.jobs) as jobs:
        survivors = [k for k, by in zip(tried, jobs.map(small, tried)) if not by]
        survivors = [k for k, by in zip(survivors, jobs.map(whole, survivors)) if not by]
    original = object_code(a.dir, lines, None) if survivors else None
    equal = [k for k in survivors if object_code(a.dir, lines, chosen[k]) == original]
    for k in survivors:
        print("%s %d line %d: %s" % ("equal   " if k in equal else "survivor", k, chosen[k][0] + 1, lines[chosen[k][0]].strip()))
    n = len(tried) - len(equal)
    noticed = n - (len(survivors) - len(equal))
    print("%d of %d mutations noticed, %.0f %%; %d more are equal" % (noticed, n, 100.0 * noticed / max(n, 1), len(equal)))


main()
