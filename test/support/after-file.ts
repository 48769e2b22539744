import { afterAll, expect } from '@jest/globals';
import { answerFaults } from './answer-faults.js';

// Not where an app is closed: what is closed after it would be left open.
afterAll(() => expect(answerFaults).toEqual([]));
