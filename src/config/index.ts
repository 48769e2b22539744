export * from './config.js';
export * from './generated-secrets.js';
export { CONFIG_EXIT_CODE, ConfigError, loadConfig } from './load-config.js';
