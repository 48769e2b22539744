import { afterAll, expect } from '@jest/globals';
import { answerFaults } from './answer-faults.js';
import { endOfFile } from './end-of-file.js';

afterAll(async () => {
  for (const end of endOfFile.splice(0).reverse()) await end();
});

// This check does not run where an app is closed: a failure there would leave later resources open.
afterAll(() => expect(answerFaults).toEqual([]));
