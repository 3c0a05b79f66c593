#include "CTransportShims.h"
