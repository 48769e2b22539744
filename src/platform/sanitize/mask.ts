/**
 * The replacement for credentials in stored text. Every pass recognizes it, so masking a masked text changes nothing.
 */
export const MASK = '[redacted]';
