export { EqlModule } from './eql.module.js';
