import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { QueryFailedError, TransactionNotStartedError } from 'typeorm';
import { isDataFault, isLastingFault, isPassingFault, isTakenTooLong } from './database-faults.js';

function answered(code: string): Error {
  const cause = new pg.DatabaseError('no', 2, 'error');
  cause.code = code;
  return new QueryFailedError('SELECT', [], cause);
}

describe('a fault', () => {
  it.each<[string, Error]>([
    ['a deadlock', answered('40P01')],
    ['a statement that took too long', answered('57014')],
    ['a transaction that did nothing for too long', answered('25P03')],
    ['a shutdown', answered('57P01')],
    ['a full disk', answered('53100')],
    ['a connection lost in a query', new QueryFailedError('SELECT', [], new Error('Connection terminated'))],
    ['a broken pipe', Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })],
    ['a transaction that is over', new TransactionNotStartedError()],
    ['an exhausted pool', new Error('timeout exceeded when trying to connect')],
  ])('passes when it is %s', (_, error) => {
    expect(isPassingFault(error)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a value that does not fit', answered('22003')],
    ['a broken constraint', answered('23503')],
    ['a wrong statement', answered('42601')],
    ['a mistake of ours', new TypeError('x is undefined')],
    ['an unknown error', new Error('A stored condition does not fit the grammar')],
    ['no error at all', 'thrown'],
  ])('stays when it is %s', (_, error) => {
    expect(isPassingFault(error)).toBe(false);
  });

  it('is blamed on the data for what does not fit alone', () => {
    const codes = ['22003', '22P02', '23503', '23514', '25006', 'XX000', '42P01', '42601', '57014', '40P01', 'P0001'];
    expect(codes.filter((code) => isDataFault(answered(code)))).toEqual(['22003', '22P02', '23503', '23514']);
    const others = [new TypeError('x is undefined'), new TransactionNotStartedError(), 'thrown', undefined];
    expect(others.filter(isDataFault)).toEqual([]);
  });

  it('asks for less work only when it took too long', () => {
    expect(['57014', '25P03', '40P01', '57P01', '22003'].filter((code) => isTakenTooLong(answered(code)))).toEqual([
      '57014',
      '25P03',
    ]);
  });

  it.each(['57014', '53200', '53100', '22003', '54000'])('lasts when the server answers %s', (code) => {
    expect(isLastingFault(answered(code))).toBe(true);
  });

  it.each(['57P01', '57P02', '57P03', '53300', '08006', '40001', '40P01', '55P03', '25006'])(
    'does not last when the server answers %s',
    (code) => {
      expect(isLastingFault(answered(code))).toBe(false);
    },
  );

  it('does not last when the connection was lost or refused', () => {
    const lost = new QueryFailedError('SELECT 1', [], new Error('Connection terminated unexpectedly'));
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect([lost, refused, undefined].map(isLastingFault)).toEqual([false, false, false]);
  });
});
