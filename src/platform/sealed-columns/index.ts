export { ReencryptionTask } from './reencryption.task.js';
export { SealedColumn, sealedColumns } from './sealed-column.js';
export { SealedValuesRepository } from './sealed-values.repository.js';
