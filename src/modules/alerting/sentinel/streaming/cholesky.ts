/** The lower triangle of a symmetric matrix, row by row, square for simplicity. */
type Square = Float64Array;

/**
 * Factors a symmetric, positive matrix M into C·Cᵀ in its place.
 * @returns false where it is not positive: some direction of the space has nothing in it
 */
export function factor(matrix: Square, size: number): boolean {
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = at(matrix, row * size + column);
      for (let k = 0; k < column; k++) sum -= at(matrix, row * size + k) * at(matrix, column * size + k);
      if (row !== column) matrix[row * size + column] = sum / at(matrix, column * size + column);
      else if (sum > 0) matrix[row * size + row] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/**
 * Writes C⁻¹·x to a place of `into`: there the plain distance of two vectors is the one by M⁻¹.
 * @param factored of {@link factor}
 */
export function whiten(factored: Square, size: number, x: Float64Array, into: Float64Array, offset: number): void {
  for (let row = 0; row < size; row++) {
    let sum = at(x, row);
    for (let k = 0; k < row; k++) sum -= at(factored, row * size + k) * at(into, offset + k);
    into[offset + row] = sum / at(factored, row * size + row);
  }
}

/** What stands at a place that is there. */
export function at(values: Float64Array, index: number): number {
  return values[index] as number;
}
