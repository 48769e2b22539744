/** The words that stand for another word. */
const WORDS: Readonly<Record<string, string>> = {
  warn: 'warning',
  err: 'error',
  fatal: 'critical',
  emerg: 'critical',
  alert: 'critical',
};
/** Each word stands for four numbers, from 1 on. */
const WORDS_BY_NUMBER = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
const NUMBERS_PER_WORD = 4;
const ERRORS = ['error', 'critical'];

/** Returns the severity by its text, else by its number; undefined without both. */
export function severityOf(text: string, number: number): string | undefined {
  const word = text.trim().toLowerCase();
  if (word !== '') return Object.hasOwn(WORDS, word) ? WORDS[word] : word;
  return WORDS_BY_NUMBER[Math.ceil(number / NUMBERS_PER_WORD) - 1];
}

/** Whether a record of this severity is an error. */
export function isError(severity: string | undefined, number: number): boolean {
  return ERRORS.includes(severity ?? '') || WORDS_BY_NUMBER.indexOf('error') * NUMBERS_PER_WORD < number;
}
