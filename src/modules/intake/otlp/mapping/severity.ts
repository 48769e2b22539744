/** The stored word for each synonym that senders use. */
const WORDS: Readonly<Record<string, string>> = {
  warn: 'warning',
  err: 'error',
  fatal: 'critical',
  emerg: 'critical',
  alert: 'critical',
};
/**
 * The stored words by the severity number of OpenTelemetry. Each word stands for four numbers; the first word for 1 to
 * 4.
 */
const WORDS_BY_NUMBER = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
const NUMBERS_PER_WORD = 4;
const ERRORS = ['error', 'critical'];

/** Returns the severity by its text or, without a text, by its number. Undefined without both. */
export function severityOf(text: string, number: number): string | undefined {
  const word = text.trim().toLowerCase();
  if (word !== '') return Object.hasOwn(WORDS, word) ? WORDS[word] : word;
  return WORDS_BY_NUMBER[Math.ceil(number / NUMBERS_PER_WORD) - 1];
}

/** Whether a record of this severity is an error. */
export function isError(severity: string | undefined, number: number): boolean {
  return ERRORS.includes(severity ?? '') || WORDS_BY_NUMBER.indexOf('error') * NUMBERS_PER_WORD < number;
}
