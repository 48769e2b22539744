import { describe, expect, it } from '@jest/globals';
import { RequestMemo } from './request-memo.js';

describe('a value in the memo of a request', () => {
  it('is found once, by whoever asks first, and apart from other requests and other memos', () => {
    const [memo, other] = [new RequestMemo<string>('a'), new RequestMemo<string>('a')];
    const [one, two] = [{}, {}];
    expect([memo.of(one, () => 'first'), memo.of(one, () => 'second')]).toEqual(['first', 'first']);
    expect([memo.of(two, () => 'third'), other.of(one, () => 'fourth')]).toEqual(['third', 'fourth']);
  });

  it('may be that there is nothing, which is not asked for again either', () => {
    const memo = new RequestMemo<string | null>('nothing');
    const request = {};
    expect([memo.of(request, () => null), memo.of(request, () => 'something')]).toEqual([null, null]);
  });

  it('is asked for again after a fault, and shared by those who ask meanwhile', async () => {
    const memo = new RequestMemo<Promise<string>>('fault');
    const request = {};
    const asked = [
      memo.of(request, () => Promise.reject(new Error('no database'))),
      memo.of(request, () => Promise.resolve('not asked')),
    ];
    await Promise.all(asked.map((answer) => expect(answer).rejects.toThrow('no database')));
    await expect(memo.of(request, () => Promise.resolve('found'))).resolves.toBe('found');
  });
});
