export { TEST_CONTROL_PATH, TestControl } from './test-control.js';
export { TestControlModule } from './test-control.module.js';
export { TestControls } from './test-controls.js';
