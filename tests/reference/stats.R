# Reference values for the statistics module from R: writes stats.R.json beside this script.
#
#     Rscript stats.R            # rewrite stats.R.json
#
# Only base R. Made with R 4.2.2.

folder <- dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)))
number <- function(x) format(x, digits = 17, scientific = TRUE, trim = TRUE)
list_of <- function(x) paste0("[", paste(number(x), collapse = ","), "]")

# P(W+ <= k) for every k up to the middle, and at 1,000 pairs for some.
signed_rank <- sapply(c(1:12, 20, 30, 50, 53, 54, 100), function(n) {
  k <- 0:((n * (n + 1)) %/% 4)
  if (n > 12) k <- unique(c(0:5, round(seq(0, max(k), length.out = 12))))
  sprintf('{"n":%d,"k":[%s],"p":%s}', n, paste(k, collapse = ","), list_of(psignrank(k, n)))
})

# wilcox.test on log ratios without ties: its bounds are order statistics of the Walsh averages.
bounds <- sapply(c(5, 6, 7, 10, 20, 40), function(n) {
  i <- seq_len(n)
  baseline <- 100 + 7 * sin(i)
  candidate <- baseline * exp(0.04 + 0.03 * sin(5 * i^2))
  d <- log(candidate / baseline)
  stopifnot(!anyDuplicated(d))
  level <- if (n == 5) 0.9 else 0.95
  test <- wilcox.test(d, conf.int = TRUE, conf.level = level, exact = TRUE)
  mu <- log(1.05)
  within <- wilcox.test(d, mu = mu, alternative = "less", exact = TRUE)$p.value
  beyond <- wilcox.test(d, mu = mu, alternative = "greater", exact = TRUE)$p.value
  t <- t.test(d, conf.level = level)
  sprintf(paste0('{"baseline":%s,"candidate":%s,"two_sided":%d,"point":%s,"low":%s,"high":%s,"bound":1.05,',
                 '"within":%s,"beyond":%s,"t":%s}'),
          list_of(baseline), list_of(candidate), as.integer(level * 10000),
          number(exp(test$estimate)), number(exp(test$conf.int[1])), number(exp(test$conf.int[2])),
          number(within), number(beyond), list_of(exp(c(t$estimate, t$conf.int))))
})

clopper_pearson <- sapply(list(c(0, 20), c(1, 20), c(3, 20), c(20, 20), c(7, 200), c(950, 20000)), function(case) {
  interval <- binom.test(case[1], case[2])$conf.int
  sprintf('{"successes":%d,"trials":%d,"interval":%s}', case[1], case[2], list_of(interval))
})

rank_sums <- sapply(c(3, 5, 8, 20), function(n) {
  u <- 0:((n * n) %/% 2)
  sprintf('{"n":%d,"p":%s}', n, list_of(pwilcox(u, n, n)))
})

rows <- function(cases) paste(cases, collapse = ",\n")
text <- sprintf('{"signed_rank":[\n%s\n],\n"bounds":[\n%s\n],\n"clopper_pearson":[\n%s\n],\n"rank_sums":[\n%s\n]}\n',
                rows(signed_rank), rows(bounds), rows(clopper_pearson), rows(rank_sums))
writeLines(text, file.path(folder, "stats.R.json"), sep = "")
