// These suites share the two instances of `encryption/instances.ts`.
import './encryption/delivery.js';
import './encryption/second-factors.js';
import './encryption/secrets.js';
// Starts instances with one key after another on a database of its own.
import './encryption/reencryption.js';
