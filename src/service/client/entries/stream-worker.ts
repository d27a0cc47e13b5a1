import { shareStream } from '../share-stream.ts';

shareStream();
