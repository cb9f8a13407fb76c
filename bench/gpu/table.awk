# The profile of a run of marks (CS_PROFILE=FILE): "MS LAUNCHES KERNELS", of one of the TIMES times the least that each kernel took.
# Evaluations that were made once are its operands.
/^  "calls":/ {
    calls = $2 + 0
    next
}
/^    \{"kernel":/ {
    if (calls % times) next
    kernel = $2
    gsub(/[",]/, "", kernel)
    each = ($4 + 0) / times
    ms += ($8 + 0) * each / 1e6
    launches += each
    names = names sprintf("%s%s %.3f", names == "" ? "" : ", ", kernel, ($8 + 0) / 1e6)
}
END { printf "%.4f %g %s\n", ms, launches, names }
