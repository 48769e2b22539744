import type { ArithmeticOperator } from '../language/ast.js';

/**
 * Calculates with IEEE doubles. The quotient of two whole numbers is a whole number, unless `isDecimal` says that one
 * of them is written with a point or an exponent. A division by zero, and a result that is not finite, return null.
 */
export function calculate(op: ArithmeticOperator, left: number, right: number, isDecimal: boolean): number | null {
  const result = plain(op, left, right, isDecimal);
  return Number.isFinite(result) ? result + 0 : null;
}

function plain(op: ArithmeticOperator, left: number, right: number, isDecimal: boolean): number {
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return !isDecimal && Number.isInteger(left) && Number.isInteger(right) ? Math.trunc(left / right) : left / right;
    case '%':
      return left % right;
  }
}

const DIGITS = /^([+-]?)(0[xX])?([0-9a-zA-Z]+)$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Returns the number in a text, to a base of 2 to 36, or null when the text is not a number. The prefix `0x` means base
 * 16.
 */
export function numberIn(text: string, base: number | null): number | null {
  if ((base === null || base === 10) && DECIMAL.test(text)) return finite(Number(text));
  const parts = DIGITS.exec(text);
  const isHexadecimal = parts?.[2] !== undefined;
  const radix = isHexadecimal && (base === null || base === 16) ? 16 : (base ?? 10);
  if (parts === null || (isHexadecimal && radix !== 16) || !Number.isInteger(radix) || radix < 2 || radix > 36)
    return null;
  let value = 0;
  for (const character of parts[3] ?? '') {
    const digit = Number.parseInt(character, 36);
    if (digit >= radix) return null;
    value = value * radix + digit;
  }
  return finite(parts[1] === '-' ? -value : value);
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null;
}
