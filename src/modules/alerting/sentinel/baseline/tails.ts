/** Above it a count is near enough to normal. */
const NORMAL_FROM = 30;
/** Below it a variance is that of chance alone. */
const OVERDISPERSED = 1.01;

/**
 * How likely so many or more are where `mean` are expected: by the negative binomial distribution whose variance is
 * `dispersion` times its mean (Poisson's at 1), from 30 on by the normal one.
 */
export function atLeast(count: number, mean: number, dispersion: number): number {
  if (count <= 0) return 1;
  if (mean <= 0) return 0;
  if (mean >= NORMAL_FROM) return normalTail((count - 0.5 - mean) / Math.sqrt(mean * dispersion));
  return Math.max(0, 1 - below(count, mean, dispersion));
}

/** How likely so many or fewer are where `mean` are expected, as {@link atLeast}. */
export function atMost(count: number, mean: number, dispersion: number): number {
  if (mean <= 0) return 1;
  if (mean >= NORMAL_FROM) return normalTail((mean - count - 0.5) / Math.sqrt(mean * dispersion));
  return Math.min(1, below(count + 1, mean, dispersion));
}

/** How likely at least `hits` of `tries` are where each hits with the chance `rate`: by Chernoff's bound, from above. */
export function hitsAtLeast(hits: number, tries: number, rate: number): number {
  const share = hits / tries;
  if (share <= rate) return 1;
  if (rate <= 0) return 0;
  const missed = share === 1 ? 0 : (1 - share) * Math.log((1 - share) / (1 - rate));
  return Math.exp(-tries * (share * Math.log(share / rate) + missed));
}

/** P(X < count), a sum over the terms, each of which follows from the one before. */
function below(count: number, mean: number, dispersion: number): number {
  const isPoisson = dispersion < OVERDISPERSED;
  const size = isPoisson ? Infinity : mean / (dispersion - 1);
  let term = Math.exp(isPoisson ? -mean : -size * Math.log(dispersion));
  let sum = 0;
  // Far behind the mean the terms are nothing any more, however large the count.
  const last = Math.min(count, Math.ceil(mean + 100 * dispersion * Math.sqrt(mean + 1)));
  for (let k = 0; k < last; k++) {
    sum += term;
    term *= isPoisson ? mean / (k + 1) : ((k + size) / (k + 1)) * (1 - 1 / dispersion);
  }
  return sum;
}

/** P(Z > z) of the standard normal distribution, from above for large z (Abramowitz and Stegun 26.2.17, error 7.5e-8 of 1). */
function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  // Beyond 3 the share of the error would be large; Mills' ratio bounds the tail there.
  if (z > 3) return density / z;
  const t = 1 / (1 + 0.2316419 * z);
  const series = 0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)));
  return density * t * series;
}
