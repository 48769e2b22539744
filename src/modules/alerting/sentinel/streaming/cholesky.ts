/** The lower triangle of a symmetric matrix, stored row by row as a full square for simplicity. */
type Square = Float64Array;

/**
 * Factors a symmetric, positive definite matrix M into C·Cᵀ, in place.
 * @returns false when M is not positive definite, because the data is zero in some direction of the space
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
 * Writes C⁻¹·x into `into` at `offset`. The Euclidean distance of two vectors written so is their distance by M⁻¹.
 * @param factored the matrix that {@link factor} has factored
 */
export function whiten(factored: Square, size: number, x: Float64Array, into: Float64Array, offset: number): void {
  for (let row = 0; row < size; row++) {
    let sum = at(x, row);
    for (let k = 0; k < row; k++) sum -= at(factored, row * size + k) * at(into, offset + k);
    into[offset + row] = sum / at(factored, row * size + row);
  }
}

/** Returns the value at an index that exists. */
export function at(values: Float64Array, index: number): number {
  return values[index] as number;
}
