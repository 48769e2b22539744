import { afterAll, expect } from '@jest/globals';
import { answerFaults } from './answer-faults.js';

// This check does not run where an app is closed: a failure there would leave later resources open.
afterAll(() => expect(answerFaults).toEqual([]));
