import { Header } from '@nestjs/common';

/** Answers of authentication contain secrets, so that nobody may keep them. */
export const NoStore = () => Header('Cache-Control', 'no-store');
