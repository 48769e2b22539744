import { at, factor, whiten } from './cholesky.js';

/** A vector holds this many successive values. */
const DIMENSION = 19;
const NEIGHBOURS = 27;
/** From this score on a vector is so strange that the next vectors, which share its values, say nothing. */
const ALARM = 0.9965;
/** The score while vectors still hold values of an alarm: neither strange nor usual. */
const UNDECIDED = 0.5;
/** Each mean square is enlarged by this share, so that a constant series does not cause a division by zero. */
const RIDGE = 1e-12;

/**
 * Scores how strange the last values are: by the share of earlier vectors that were less strange (one minus a conformal
 * p-value). The strangeness of a vector is the sum of its squared distances to its nearest neighbours among the
 * reference vectors. Distances are weighted by the inverse second moments of the reference. New vectors of the series
 * replace the oldest ones in the reference and the calibration.
 */
export class ConformalNeighbours {
  private readonly values = new Float64Array(DIMENSION);
  /** The reference vectors, raw and whitened. Both arrays are rings of `warmUp` places, of which `known` are in use. */
  private readonly reference: Float64Array;
  private readonly whitened: Float64Array;
  /**
   * The last `warmUp` vectors since the warm-up. A vector that leaves this ring replaces the oldest reference vector.
   */
  private readonly waiting: Float64Array;
  /** The strangeness of the last vectors, as a ring. */
  private readonly strangeness: Float64Array;
  private metric: Float64Array;
  private readonly point = new Float64Array(DIMENSION);
  private readonly nearest = new Float64Array(NEIGHBOURS + 1);
  private seen = 0;
  private known = 0;
  /** The place of the oldest reference vector. */
  private oldest = 0;
  private scored = 0;
  private resting = 0;

  /** @param warmUp how many first values only build the reference; more than {@link DIMENSION} */
  constructor(private readonly warmUp: number) {
    this.reference = new Float64Array(warmUp * DIMENSION);
    this.whitened = new Float64Array(warmUp * DIMENSION);
    this.waiting = new Float64Array(warmUp * DIMENSION);
    this.strangeness = new Float64Array(warmUp);
    this.metric = identity();
  }

  /** @returns 0 (usual) to 1 (stranger than all before) */
  push(value: number): number {
    this.values.copyWithin(0, 1);
    this.values[DIMENSION - 1] = value;
    this.seen++;
    if (this.seen < DIMENSION) return 0;
    if (this.seen < this.warmUp) {
      this.reference.set(this.values, this.known++ * DIMENSION);
      return 0;
    }
    if (this.known === 0) return 0;
    const place = this.seen % this.warmUp;
    if (place === 0 || place === this.warmUp >> 1) this.refresh();
    if (this.scored === 0) this.calibrate();
    return this.evaluated();
  }

  private evaluated(): number {
    whiten(this.metric, DIMENSION, this.values, this.point, 0);
    const strange = this.strangenessOf(this.point, NEIGHBOURS);
    let below = 0;
    for (let index = 0; index < this.known; index++) if (at(this.strangeness, index) < strange) below++;
    const share = below / this.known;
    this.remember(strange);
    if (this.resting > 0) {
      this.resting--;
      return UNDECIDED;
    }
    if (share >= ALARM) this.resting = Math.floor(this.warmUp / 5);
    return share;
  }

  private remember(strange: number): void {
    const since = this.scored - this.known;
    const place = since % this.warmUp;
    if (since >= this.warmUp) {
      const vector = this.waiting.subarray(place * DIMENSION, (place + 1) * DIMENSION);
      this.reference.set(vector, this.oldest * DIMENSION);
      whiten(this.metric, DIMENSION, vector, this.whitened, this.oldest * DIMENSION);
      this.oldest = (this.oldest + 1) % this.known;
    }
    this.waiting.set(this.values, place * DIMENSION);
    this.strangeness[since % this.known] = strange;
    this.scored++;
  }

  /** Computes how strange the reference vectors are to each other. */
  private calibrate(): void {
    for (let index = 0; index < this.known; index++) {
      const own = this.whitened.subarray(index * DIMENSION, (index + 1) * DIMENSION);
      this.strangeness[index] = this.strangenessOf(own, NEIGHBOURS + 1);
    }
    this.scored = this.known;
  }

  /** Computes the metric of the current reference vectors, and whitens them by it. */
  private refresh(): void {
    const moments = new Float64Array(DIMENSION * DIMENSION);
    for (let index = 0; index < this.known; index++) {
      const start = index * DIMENSION;
      for (let row = 0; row < DIMENSION; row++) {
        const value = at(this.reference, start + row);
        for (let column = 0; column <= row; column++) {
          moments[row * DIMENSION + column] =
            at(moments, row * DIMENSION + column) + value * at(this.reference, start + column);
        }
      }
    }
    for (let row = 0; row < DIMENSION; row++) {
      const place = row * DIMENSION + row;
      moments[place] = at(moments, place) * (1 + RIDGE);
    }
    // When all values are zero, or when they overflow, the metric stays as it was.
    if (factor(moments, DIMENSION)) this.metric = moments;
    for (let index = 0; index < this.known; index++) {
      const vector = this.reference.subarray(index * DIMENSION, (index + 1) * DIMENSION);
      whiten(this.metric, DIMENSION, vector, this.whitened, index * DIMENSION);
    }
  }

  /** Returns the sum of the smallest squared distances to the reference vectors. */
  private strangenessOf(point: Float64Array, neighbours: number): number {
    const { nearest, whitened } = this;
    let count = 0;
    let farthest = Infinity;
    for (let index = 0; index < this.known; index++) {
      const start = index * DIMENSION;
      let distance = 0;
      for (let k = 0; k < DIMENSION && distance < farthest; k++) {
        const difference = (whitened[start + k] as number) - (point[k] as number);
        distance += difference * difference;
      }
      if (distance >= farthest) continue;
      let place = count < neighbours ? count++ : neighbours - 1;
      for (; place > 0 && (nearest[place - 1] as number) > distance; place--)
        nearest[place] = nearest[place - 1] as number;
      nearest[place] = distance;
      if (count === neighbours) farthest = nearest[neighbours - 1] as number;
    }
    let sum = 0;
    for (let index = 0; index < count; index++) sum += at(nearest, index);
    return sum;
  }
}

function identity(): Float64Array {
  const matrix = new Float64Array(DIMENSION * DIMENSION);
  for (let row = 0; row < DIMENSION; row++) matrix[row * DIMENSION + row] = 1;
  return matrix;
}
