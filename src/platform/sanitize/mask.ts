/** What stands in stored text where a credential stood. Every pass recognises it, so masking twice changes nothing. */
export const MASK = '[redacted]';
