/** From this mean on, the distribution of a count is close enough to a normal one. */
const NORMAL_FROM = 30;
/** Below this dispersion, the variance is that of chance alone (Poisson). */
const OVERDISPERSED = 1.01;

/**
 * Returns the probability of `count` or more when `mean` are expected. The distribution is the negative binomial one
 * whose variance is `dispersion` times its mean (Poisson at 1), and the normal one from a mean of 30 on.
 */
export function atLeast(count: number, mean: number, dispersion: number): number {
  if (count <= 0) return 1;
  if (mean <= 0) return 0;
  if (mean >= NORMAL_FROM) return normalTail((count - 0.5 - mean) / Math.sqrt(mean * dispersion));
  return Math.max(0, 1 - below(count, mean, dispersion));
}

/** Returns the probability of `count` or fewer when `mean` are expected, by the distribution of {@link atLeast}. */
export function atMost(count: number, mean: number, dispersion: number): number {
  if (mean <= 0) return 1;
  if (mean >= NORMAL_FROM) return normalTail((mean - count - 0.5) / Math.sqrt(mean * dispersion));
  return Math.min(1, below(count + 1, mean, dispersion));
}

/**
 * Returns an upper bound (Chernoff's) of the probability of at least `hits` in `tries`, each with the probability
 * `rate`.
 */
export function hitsAtLeast(hits: number, tries: number, rate: number): number {
  const share = hits / tries;
  if (share <= rate) return 1;
  if (rate <= 0) return 0;
  const missed = share === 1 ? 0 : (1 - share) * Math.log((1 - share) / (1 - rate));
  return Math.exp(-tries * (share * Math.log(share / rate) + missed));
}

/** Returns P(X < count) as a sum of terms, each of which is computed from the one before. */
function below(count: number, mean: number, dispersion: number): number {
  const isPoisson = dispersion < OVERDISPERSED;
  const size = isPoisson ? Infinity : mean / (dispersion - 1);
  let term = Math.exp(isPoisson ? -mean : -size * Math.log(dispersion));
  let sum = 0;
  // Far beyond the mean the terms are zero, so a larger count needs no more of them.
  const last = Math.min(count, Math.ceil(mean + 100 * dispersion * Math.sqrt(mean + 1)));
  for (let k = 0; k < last; k++) {
    sum += term;
    term *= isPoisson ? mean / (k + 1) : ((k + size) / (k + 1)) * (1 - 1 / dispersion);
  }
  return sum;
}

/**
 * Returns P(Z > z) of the standard normal distribution (Abramowitz and Stegun 26.2.17, absolute error 7.5e-8); for
 * large z an upper bound.
 */
function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  // Beyond 3 the relative error would be large. Mills' ratio bounds the tail there.
  if (z > 3) return density / z;
  const t = 1 / (1 + 0.2316419 * z);
  const series = 0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)));
  return density * t * series;
}
