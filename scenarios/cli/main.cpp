// The front door.
int main() { return 0; }
