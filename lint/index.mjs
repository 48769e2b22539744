import { eventRowsInStore } from './event-rows-in-store.mjs';
import { explainedDisable } from './explained-disable.mjs';
import { injectedValueImport } from './injected-value-import.mjs';
import { repositoriesStayInside } from './repositories-stay-inside.mjs';
import { sqlInRepositories } from './sql-in-repositories.mjs';
import { tenantInSql } from './tenant-in-sql.mjs';
import { tenantInWhere } from './tenant-in-where.mjs';

export { EVENT_COUNTERS, EVENT_ROWS } from './event-tables.mjs';
export { NOBODYS_TABLES, PARENTS, TENANT_TABLES } from './tenant-tables.mjs';

/** Rules of our own; `test/contract/lint.spec.ts` shows what they find. */
export const local = {
  rules: {
    'event-rows-in-store': eventRowsInStore,
    'explained-disable': explainedDisable,
    'injected-value-import': injectedValueImport,
    'repositories-stay-inside': repositoriesStayInside,
    'sql-in-repositories': sqlInRepositories,
    'tenant-in-sql': tenantInSql,
    'tenant-in-where': tenantInWhere,
  },
};
