// Never linked into anything: purity_test.py reads this object code and must object to each
// function.
#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>

long PlantedTime() { return std::time(nullptr); }
long PlantedSystemClock() { return std::chrono::system_clock::now().time_since_epoch().count(); }
long PlantedSteadyClock() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
const char* PlantedEnvironment() { return std::getenv("HOME"); }
int PlantedRandom() { return std::rand(); }
unsigned PlantedRandomDevice() { return std::random_device()(); }
const char* PlantedLocale() { return std::setlocale(LC_ALL, "C"); }
void PlantedPrint() { std::puts("printed"); }
void PlantedStream() { std::cout << 1; }
bool PlantedFile() { return std::ifstream("name").good(); }
void PlantedThread() {
  std::thread([] {}).join();
}
void PlantedLock(std::mutex& mutex) { mutex.lock(); }
