#!/bin/sh
# docs/files.md: every source file in a line, which is the first sentence of its head. A folder is a
# section, so that pages can name it: files.md#codegenkernelplan.
set -eu
cd "$(dirname "$0")/.."
cat <<'END'
# The source files

What each file is for, as its head says. `make docs` makes this page;
[architecture.md](architecture.md) is the tour. A header is listed where no source has its name.
END
git ls-files '*.c' '*.h' '*.def' '*.l' '*.y' | grep -vE '^(tests|bench|samples)/' | LC_ALL=C sort |
    awk '{ there[$0] = 1; list[++n] = $0 }
    END {
        for (i = 1; i <= n; i++) {
            source = list[i]; sub(/[.]h$/, ".c", source)
            if (source == list[i] || !(source in there)) {
                folder = list[i]; if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
                print folder, list[i]
            }
        }
    }' | LC_ALL=C sort | awk '
    function head(file,    line, text, at) { # its first comment up to the end of a sentence
        text = ""
        while ((getline line < file) > 0) {
            if (text == "" && line !~ /^\/\*/) continue
            sub(/^\/?\*+ ?|^ \* ?/, "", line)
            at = match(line, /\*\//)
            if (at) line = substr(line, 1, at - 1)
            if (line ~ /^ *$/ && text != "") break
            text = text (text == "" ? "" : " ") line
            if (at || text ~ /[.] *$/) break
            if (match(text, /[a-z)`0-9][.] [A-Z]/)) { text = substr(text, 1, RSTART + 1); break }
        }
        close(file)
        if (match(text, /[a-z)`0-9][.] [A-Z]/)) text = substr(text, 1, RSTART + 1)
        gsub(/[ \t]+/, " ", text); sub(/ $/, "", text); sub(/:$/, ".", text)
        gsub(/[*_<]/, "\\\\&", text)
        return text
    }
    function wrapped(text,    words, n, i, line) {
        n = split(text, words, " "); line = words[1]
        for (i = 2; i <= n; i++)
            if (length(line) + length(words[i]) + 1 > 100) { print line; line = "  " words[i] }
            else line = line " " words[i]
        print line
    }
    function told(file,    text, header, name) { # what a source leaves to its header stands there
        text = head(file); header = file; sub(/[.]c$/, ".h", header)
        name = header; sub(/.*\//, "", name)
        return header != file && (text == "" || index(text, name)) && head(header) != "" ? head(header) : text
    }
    $1 != folder { folder = $1; printf "\n## %s\n\n", folder == "." ? "csc.c" : folder }
    { name = $2; sub(/.*\//, "", name); wrapped("- [" name "](../" $2 ") " told($2)) }'
