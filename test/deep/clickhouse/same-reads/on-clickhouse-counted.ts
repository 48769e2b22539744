// The suite that is imported behind this file runs on a service that reads events from ClickHouse. PostgreSQL answers what the
// suite reads, from its counts of the events.
process.env.TEST_READS = 'clickhouse';
