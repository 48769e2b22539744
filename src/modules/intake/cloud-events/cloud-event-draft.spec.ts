import { describe, expect, it } from '@jest/globals';
import { structuredDraft } from './cloud-event-draft.js';

const EVENT = { specversion: '1.0', id: '1', source: 'shop', type: 'order.paid', data_base64: 'eyJuIjoxfQ==' };

const unchanged = (properties: Record<string, unknown>): Record<string, unknown> => properties;

describe('the media type of the data of a CloudEvent', () => {
  it.each([
    ['application/json', { n: 1 }],
    [' Application/Vnd.Shop+JSON ; charset=utf-8', { n: 1 }],
    ['text/plain', { data: '{"n":1}' }],
    ['image/svg+xml', { data: '{"n":1}' }],
    ['image/png', { data_base64: EVENT.data_base64 }],
  ])('makes of %s the properties %j', (datacontenttype, properties) => {
    expect(structuredDraft({ ...EVENT, datacontenttype }, unchanged)).toMatchObject({ draft: { properties } });
  });

  it('may be a megabyte of blanks, which takes no longer to read than other text', () => {
    const datacontenttype = `${' '.repeat(1_048_576)}x`;
    expect(structuredDraft({ ...EVENT, datacontenttype }, unchanged)).toMatchObject({
      draft: { properties: { data_base64: EVENT.data_base64 } },
    });
  });
});
