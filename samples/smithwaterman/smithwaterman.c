#include "../sample.h"

static const char order[] = "ARNDCQEGHILKMFPSTWYV";
static const char blosum62[] =
    "4 -1 5 -2 0 6 -2 -2 1 6 0 -3 -3 -3 9 -1 1 0 0 -3 5 -1 0 0 2 -4 2 5 0 -2 0 -1 -3 -2 -2 6 "
    "-2 0 1 -1 -3 0 0 -2 8 -1 -3 -3 -3 -1 -3 -3 -4 -3 4 -1 -2 -3 -4 -1 -2 -3 -4 -3 2 4 -1 2 0 "
    "-1 -3 1 1 -2 -1 -3 -2 5 -1 -1 -2 -3 -1 0 -2 -3 -2 1 2 -1 5 -2 -3 -3 -3 -2 -3 -3 -3 -1 0 0 "
    "-3 0 6 -1 -2 -2 -1 -3 -1 -1 -2 -2 -3 -3 -1 -2 -4 7 1 -1 1 0 -1 0 0 0 -1 -2 -2 0 -1 -2 -1 "
    "4 0 -1 0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -2 -1 1 5 -3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1 1 "
    "-4 -3 -2 11 -2 -2 -2 -3 -2 -1 -2 -3 2 -1 -1 -2 -1 3 -3 -2 -2 2 7 0 -3 -3 -3 -1 -2 -2 -3 -3 "
    "3 1 -2 1 -1 -2 -2 0 -3 -1 4";

static int most(int a, int b)
{
    return a > b ? a : b;
}

int main(int argc, char **argv)
{
    static char protein[2][100000];
    int score[128][128] = {0}, length[2] = {0}, which = -1;
    const char *at = blosum62;
    for (int a = 0; a < 20; a++)
        for (int b = 0; b <= a; b++) {
            int x = (int)strtol(at, (char **)&at, 10);
            score[(int)order[a]][(int)order[b]] = score[(int)order[b]][(int)order[a]] = x;
        }
    FILE *f = fopen(argc > 1 ? argv[1] : "samples/smithwaterman/globins.fasta", "r");
    for (char line[256]; fgets(line, sizeof line, f);)
        if (*line == '>')
            which++;
        else
            for (char *c = line; *c > ' '; c++) protein[which][length[which]++] = *c;
    fclose(f);
    int m = length[0], n = length[1], best = 0, i = 0, j = 0, wide = n + 1;
    int *h = calloc((size_t)(m + 1) * (size_t)wide, sizeof *h);
    for (int p = 1; p <= m; p++)
        for (int q = 1; q <= n; q++) {
            int *x = h + p * wide + q;
            *x = most(0, x[-wide - 1] + score[(int)protein[0][p - 1]][(int)protein[1][q - 1]]);
            *x = most(*x, most(x[-1], x[-wide]) - 4);
            if (*x > best) best = *x, i = p, j = q;
        }
    printf("%d and %d residues, score %d\n", m, n, best);
    char text[2][200000], middle[200000];
    int count = 0;
    while (h[i * wide + j] > 0) {
        int *x = h + i * wide + j, a = protein[0][i - 1], b = protein[1][j - 1];
        int diagonal = *x == x[-wide - 1] + score[a][b], up = !diagonal && *x == x[-wide] - 4;
        text[0][count] = (char)(diagonal || up ? a : '-');
        text[1][count] = (char)(up ? '-' : b);
        middle[count] = text[0][count] == text[1][count] ? '|' : ' ';
        count++;
        i -= diagonal || up;
        j -= !up;
    }
    for (int k = count; k > 0; k -= 60) {
        const char *lines[] = {text[0], middle, text[1]};
        for (int line = 0; line < 3; line++) {
            if (line == 0) putchar('\n');
            for (int c = k - 1; c >= 0 && c >= k - 60; c--) putchar(lines[line][c]);
            putchar('\n');
        }
    }
}
