import { readFromClickHouse } from '../../../support/second-store.js';

// What is asked there PostgreSQL has counted, also of events that ClickHouse has.
readFromClickHouse({ isRead: false });
