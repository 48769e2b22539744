import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp } from '../../support/embedded-database.js';
import { otlpThroughKills } from '../../support/otlp-kills.js';
import { CLEAN_EXIT } from '../../support/service-process.js';

afterEach(cleanUp);

describe('a service that is killed 20 times while it takes OTLP', () => {
  it('stores every record that it answered with 200, and repeated batches once', async () => {
    const { accepted, stored, exit } = await otlpThroughKills(20);
    expect(stored).toEqual({ messages: accepted, counted: accepted.length });
    expect(exit).toEqual(CLEAN_EXIT);
  });
});
