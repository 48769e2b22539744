import { Foundation1795186000000 } from './1795186000000-foundation.js';
import { RecordsOfActs1795186100000 } from './1795186100000-records-of-acts.js';
import { SecondFactors1795188000000 } from './1795188000000-second-factors.js';

/** Every migration in order; a test checks that each file of this folder is listed. */
export const MIGRATIONS = [Foundation1795186000000, RecordsOfActs1795186100000, SecondFactors1795188000000] as const;
