/* Turns preprocessed CUDA C++ into C++ for cuda.h beside this file: what stands in the file named by argv[1]
   and is no C++. Reads stdin, writes stdout. asm statements become calls that interpret their text; variables in shared
   memory become references into the block's; casts of kernels to const void * become calls that know the kernel's type;
   threadIdx and its like become the fiber's. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text, *at, *end;
static int translated;          /* whether what is at `at` comes from the file */
static const char *file;
static const char *section;     /* of a line marker of the file: FILE>>SECTION" */
static int serial;                 /* of structs of shared memory, in its section */

static void fail(const char *why) { fprintf(stderr, "translate: %s near: %.60s\n", why, at); exit(1); }
static char *skip_space(char *p) { while (p < end && isspace((unsigned char)*p)) p++; return p; }
static int is_word(int c) { return isalnum(c) || c == '_'; }

/* Behind the literal that begins at p. */
static char *skip_literal(char *p)
{
    char quote = *p++;
    while (p < end && *p != quote) p += *p == '\\' ? 2 : 1;
    return p + 1;
}
/* Behind what p, an opening bracket, opens. */
static char *skip_brackets(char *p)
{
    int depth = 0;
    do {
        if (*p == '"' || *p == '\'') { p = skip_literal(p); continue; }
        if (strchr("([{", *p)) depth++;
        if (strchr(")]}", *p)) depth--;
        p++;
    } while (depth && p < end);
    return p;
}
static int begins(const char *p, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && !memcmp(p, word, n) && !is_word((unsigned char)p[n]);
}
/* The end of an operand list's next part: a comma or a colon outside brackets, or stop. */
static char *part_end(char *p, char *stop)
{
    while (p < stop && *p != ',' && *p != ':') {
        if (*p == '"') p = skip_literal(p);
        else if (strchr("([{", *p)) p = skip_brackets(p);
        else if (*p == ':' && p[1] == ':') p += 2;
        else p++;
    }
    return p;
}
static void translate(char *to);
/* In front of a call that begins so, where a kernel is chosen among several: what a test prefers (cuda.h, prefers). */
static const char *const chosen[][2] = {
    { "gtr__way_ns(w,", "emu::preferred(w.kernel, w.m, w.n, split, ranges) * " },
    { "gtr__few_ns(p, caps)", "emu::preferred(emu::WAY_FEW, 0, 0, 1, 1) * " },
    { "gtr__warps_choice(g, form", "emu::chosen_anew(c.ns, emu::WAY_WARPS), " },
    { "gtr__im2col_choice(&e->g", "emu::chosen_anew(plain.ns, emu::WAY_IM2COL) && " },
    { "gtr__lines_choice(&e->g", "emu::chosen_anew(plain.ns, emu::WAY_LINES) && " },
};
enum { CHOSEN = (int)(sizeof chosen / sizeof *chosen) };
static int n_chosen[CHOSEN];
/* Translates [from, to), which lies ahead of at, and leaves at where it is. */
static void translate_part(char *from, char *to)
{
    char *was = at;
    at = from;
    translate(to);
    at = was;
}
/* asm volatile("..." : "=r"(x), ... : "r"(y), ... : "memory") */
static char *translate_asm(char *p)
{
    char *stop, *q = skip_space(p + 3);
    int section = 0, operands = 0;
    if (begins(q, "volatile")) q = skip_space(q + 8);
    if (*q != '(') fail("no bracket behind asm");
    stop = skip_brackets(q) - 1;
    for (q = p = skip_space(q + 1); q < stop && *q != ':'; q = *q == '"' ? skip_literal(q) : q + 1) { }
    printf("do { static emu::statement emu_statement_ = { %.*s }; emu::operand emu_operands_[] = { ", (int)(q - p), p);
    while (q < stop) {
        if (*q == ':') { section++; q++; continue; }
        if (*q == ',' || isspace((unsigned char)*q)) { q++; continue; }
        if (section < 3) {
            char *constraint = q, *value = skip_space(skip_literal(q));
            q = part_end(value, stop);
            printf("%semu::%s", operands++ ? ", " : "", strchr("=+", constraint[1]) ? "in_out" : "in");
            translate_part(value, q);
        } else q = part_end(q, stop);
    }
    printf("%s }; emu_statement_.run(emu_operands_); } while (0)", operands ? "" : "emu::operand()");
    return stop + 1;
}
/* The name that a declarator [from, to) declares. */
static char *declared(char *from, char *to, int *length)
{
    char *p = from, *name = NULL;
    while (p < to && *p != '[') {
        if (*p == '<') { while (p < to && *p != '>') p++; continue; }
        if (*p == '(') { p = skip_brackets(p); continue; }
        if (!is_word((unsigned char)*p)) { p++; continue; }
        for (name = p; p < to && is_word((unsigned char)*p); p++) { }
        *length = (int)(p - name);
    }
    if (!name) fail("no name in a declaration of shared memory");
    return name;
}
/* [extern] __shared__ type a[n], b; p is behind __shared__. `external`: it is the memory that the launch asks for. */
static char *translate_shared(char *p, int external)
{
    char *stop = p, *q;
    int length;
    while (*stop != ';') stop = *stop == '(' ? skip_brackets(stop) : stop + 1;
    if (external) {
        char *name = declared(p, stop, &length), *type = name;
        while (*type != ')' && type > p) type--;
        type += *type == ')';
        printf("%.*s *const %.*s = ", (int)(name - type), type, length, name);
        printf("(%.*s *)emu::dynamic_shared()", (int)(name - type), type);
        return stop;
    }
    serial++;
    printf("struct emu_shared_%d { %.*s; }; ", serial, (int)(stop - p), p);
    printf("emu_shared_%d &emu_at_%d = emu::shared<emu_shared_%d>()", serial, serial, serial);
    for (q = p; q < stop;) {
        char *to = q, *name;
        while (to < stop && *to != ',') to = strchr("([", *to) ? skip_brackets(to) : to + 1;
        name = declared(q, to, &length);
        printf("; auto &%.*s = emu_at_%d.%.*s", length, name, serial, length, name);
        q = to + 1;
    }
    return stop;
}
/* Writes [at, to), translated where it comes from the file. */
static void translate(char *to)
{
    static const char *const built_in[] = { "threadIdx", "emu::now->thread", "blockIdx", "emu::now->home->index",
                                            "gridDim", "emu::grid_now", "blockDim", "emu::size_now" };
    while (at < to) {
        char *word = at;
        if (*at == '#' && (at == text || at[-1] == '\n')) {         /* # 12 "file" */
            char *stop = memchr(at, '\n', (size_t)(end - at)), *name = memchr(at, '"', (size_t)(stop - at));
            if (name) {
                translated = !strncmp(name + 1, file, strlen(file)) && strchr("\">", name[1 + strlen(file)]);
                if (translated && (!section || strncmp(section, name, (size_t)(stop - name)))) serial = 0;
                if (translated) section = name;
            }
            fwrite(at, 1, (size_t)(stop - at), stdout);
            at = stop;
            continue;
        }
        if (*at == '"' || *at == '\'') at = skip_literal(at);
        else if (isdigit((unsigned char)*at)) while (at < end && (is_word((unsigned char)*at) || *at == '\'')) at++;
        else if (is_word((unsigned char)*at)) {
            while (at < end && is_word((unsigned char)*at)) at++;
            if (translated) {
                if (begins(word, "asm")) { at = translate_asm(word); continue; }
                if (begins(word, "extern") && begins(skip_space(at), "EMU_SHARED")) {
                    at = translate_shared(skip_space(at) + strlen("EMU_SHARED"), 1);
                    continue;
                }
                if (begins(word, "EMU_SHARED")) { at = translate_shared(at, 0); continue; }
                if (word - text < 2 || (word[-1] != '.' && memcmp(word - 2, "->", 2))) {
                    int i;
                    for (i = 0; i < 8 && !begins(word, built_in[i]); i += 2) { }
                    if (i < 8) { fputs(built_in[i + 1], stdout); continue; }
                    for (i = 0; i < CHOSEN; i++)
                        if (!strncmp(word, chosen[i][0], strlen(chosen[i][0]))) {
                            fputs(chosen[i][1], stdout);
                            n_chosen[i]++;
                        }
                }
            }
        } else if (translated && !strncmp(at, "(const void *)", 14)) {
            fputs("emu::pointer->*", stdout);
            at += 14;
            continue;
        } else at++;
        fwrite(word, 1, (size_t)(at - word), stdout);
    }
}
int main(int argc, char **argv)
{
    size_t n = 0, room = 1 << 20, got;
    if (argc != 2) { fprintf(stderr, "usage: translate FILE <preprocessed >translated\n"); return 2; }
    file = argv[1];
    text = malloc(room + 1);
    while (text && (got = fread(text + n, 1, room - n, stdin)) > 0)
        if ((n += got) == room) text = realloc(text, (room *= 2) + 1);
    if (!text) return 1;
    text[n] = 0;
    at = text; end = text + n;
    translate(end);
    for (int i = 0; i < CHOSEN && !strchr(file, '/'); i++)
        if (!n_chosen[i]) { fprintf(stderr, "translate: no call %s any more\n", chosen[i][0]); return 1; }
    return 0;
}
