import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { isByItself } from './failed-rollups.js';

const answered = (code: string): Error =>
  new QueryFailedError('SELECT 1', [], Object.assign(new pg.DatabaseError('failed', 6, 'error'), { code }));

describe('a rollup that could not be made', () => {
  it.each(['57014', '53200', '53100', '22003', '54000'])('rests for %s', (code) => {
    expect(isByItself(answered(code))).toBe(true);
  });

  it.each(['57P01', '57P02', '57P03', '53300', '08006', '40001', '40P01', '55P03', '25006'])(
    'is tried again at once after %s',
    (code) => {
      expect(isByItself(answered(code))).toBe(false);
    },
  );

  it('is tried again at once after a connection that was lost or not to be had', () => {
    const lost = new QueryFailedError('SELECT 1', [], new Error('Connection terminated unexpectedly'));
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect([lost, refused, undefined].map(isByItself)).toEqual([false, false, false]);
  });
});
