export { Console, CONSOLE_PATH } from './console.js';
export { ConsoleModule } from './console.module.js';
