import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentSentences } from './comment-sentences.mjs';
import { eventRowsInStore } from './event-rows-in-store.mjs';
import { explainedDisable } from './explained-disable.mjs';
import { injectedValueImport } from './injected-value-import.mjs';
import { ownInputs } from './own-inputs.mjs';
import { repositoriesStayInside } from './repositories-stay-inside.mjs';
import { sentenceTitles } from './sentence-titles.mjs';
import { sqlInRepositories } from './sql-in-repositories.mjs';
import { tenantInSql } from './tenant-in-sql.mjs';
import { tenantInWhere } from './tenant-in-where.mjs';

export { EVENT_COUNTERS, EVENT_ROWS } from './event-tables.mjs';
export { NOBODYS_TABLES, PARENTS, TENANT_TABLES } from './tenant-tables.mjs';

/** ESLint drops its cached results when the version of a plugin changes, so this version is a digest of the rules. */
const digest = createHash('sha256');
for (const name of readdirSync(import.meta.dirname).sort())
  digest.update(readFileSync(join(import.meta.dirname, name)));

/** Our own rules. `lint/rules.test.mjs` shows what each of them reports. */
export const local = {
  meta: { name: 'local', version: digest.digest('hex') },
  rules: {
    'comment-sentences': commentSentences,
    'event-rows-in-store': eventRowsInStore,
    'explained-disable': explainedDisable,
    'injected-value-import': injectedValueImport,
    'own-inputs': ownInputs,
    'repositories-stay-inside': repositoriesStayInside,
    'sentence-titles': sentenceTitles,
    'sql-in-repositories': sqlInRepositories,
    'tenant-in-sql': tenantInSql,
    'tenant-in-where': tenantInWhere,
  },
};
