export declare const EVENT_COUNTERS: readonly string[];
export declare const EVENT_ROWS: readonly string[];
export declare const TENANT_TABLES: Readonly<Record<string, readonly string[]>>;
export declare const PARENTS: Readonly<Record<string, string>>;
export declare const NOBODYS_TABLES: readonly string[];
