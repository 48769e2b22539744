export { JOB_BOARD_PATH, JobBoard } from './job-board.js';
export { JobBoardModule } from './job-board.module.js';
