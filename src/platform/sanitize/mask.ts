/** Replaces credentials in stored text. Every pass recognizes the mask, so masking twice changes nothing. */
export const MASK = '[redacted]';
